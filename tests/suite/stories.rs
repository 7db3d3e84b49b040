//! The stories: each is run in this process, and in the houses that it is about.

mod absent;
mod admin_host;
mod allowed;
mod apps;
mod aside;
mod brand;
mod cap;
mod conditions;
mod counter;
mod domain;
mod elsewhere;
mod estimate;
mod event;
mod explained;
pub(crate) mod groups;
mod history;
pub(crate) mod invitations;
mod invite;
pub(crate) mod journal;
mod kit;
pub(crate) mod lines;
mod live;
mod login;
pub(crate) mod lot;
pub(crate) mod networks;
mod once;
mod order;
mod pairs;
pub(crate) mod panel;
mod receipt;
mod regions;
mod replays;
mod report;
pub(crate) mod rooms;
mod sent;
mod shares;
mod sign;
pub(crate) mod signals;
mod slowed;
mod stock;
mod tickets;
pub(crate) mod trouble;
mod turns;
mod typed;
pub(crate) mod verifier;
mod wire;

use absent::*;
use admin_host::*;
use allowed::*;
use apps::*;
use aside::*;
use brand::*;
use cap::*;
use conditions::*;
use counter::*;
use domain::*;
use elsewhere::*;
use estimate::*;
use event::*;
use explained::*;
use groups::*;
use invitations::*;
use invite::*;
use journal::*;
use kit::*;
use lines::*;
use live::*;
use login::*;
use lot::*;
use networks::*;
use once::*;
use order::*;
use panel::*;
use receipt::*;
use regions::*;
use rooms::*;
use sent::*;
use sign::*;
use signals::*;
use stock::*;
use tickets::*;
use trouble::*;
use turns::*;
use typed::*;
use verifier::*;
use wire::*;

const DAY: u64 = 86_400;

in_houses! {
    store {
        sixty_ahead_at_thirty_a_minute_take_two_minutes
        the_page_says_until_when_to_come_back
        the_journal_says_what_moved_the_line_and_hangs_together
        every_jump_is_a_line_of_the_journal
        a_ticket_carries_what_the_journal_had_reached
        what_moves_nothing_is_not_in_the_journal
        visitors_who_go_straight_in_are_told_together
        the_journal_is_for_operators_and_read_by_one_call
        what_a_lost_answer_has_written_is_logged_with_the_next_look
        the_first_lines_of_all_are_logged_though_their_answer_was_lost
        an_operator_who_only_looks_brings_the_log_what_it_lacks
        a_permit_that_is_answered_to_a_repeat_is_in_the_log_whatever_is_lost_afterwards
        a_permit_that_was_lost_before_its_repeat_has_a_line_all_the_same
        a_ticket_of_an_older_line_moves_nothing
        a_line_whose_data_are_lost_is_as_the_pop_last_saw_it
        the_copy_of_an_older_line_admits_nobody_of_a_younger_one
        an_ended_ticket_draws_for_visits_only_and_says_that_the_line_was_started_anew
        a_waiting_ticket_lives_as_long_as_its_holder_polls
        choosing_the_refresh_prolongs_no_ticket
        called_visitors_who_do_not_come_are_shown
        each_release_says_which_rule_bound_it
        before_an_event_no_visitor_draws_and_none_goes_in
        in_the_prequeue_numbers_are_drawn_and_at_the_start_they_go_in
        after_an_event_no_new_visitor_goes_in_and_visitors_inside_stay
        an_event_begins_a_line_of_its_own
        who_was_called_before_an_event_goes_in_past_nobody
        an_event_that_is_moved_keeps_its_line
        a_room_that_goes_on_keeps_its_pace_before_an_event_and_after_it
        who_waits_when_the_prequeue_begins_waits_on_before_those_who_come
        who_waits_when_the_prequeue_begins_is_in_the_lot
        a_room_that_is_open_is_open_before_an_event_and_after_it
        in_a_maintenance_visitors_wait_and_then_the_line_goes_on
        who_was_called_before_the_prequeue_is_told_of_no_lot
        an_event_brings_its_pace_cap_and_message_and_gives_them_back
        an_event_that_runs_is_asked_about_before_it_is_taken_away
        what_an_operator_sets_while_an_event_runs_stays_after_it
        an_event_sets_a_mode_at_its_end_until_an_operator_does
        a_closed_room_may_go_on_after_its_event
        what_an_event_brings_and_gives_back_survives_a_loss
        while_an_earlier_lot_is_served_an_event_draws_none
        an_event_has_a_heading_of_its_own_while_it_runs
        after_an_event_that_is_cancelled_the_line_moves_as_ever
        a_line_seals_how_many_drew_before_the_start
        before_an_event_the_page_counts_down_and_no_call_is_made
        in_the_prequeue_and_after_the_end_the_page_says_so
        a_visitor_who_comes_too_late_reads_so_while_waiting
        draws_above_the_bound_of_a_network_are_counted
        a_visitor_above_the_bound_gets_a_number_for_a_calculation
        an_answer_is_worth_one_number
        each_number_of_a_network_above_its_bound_is_dearer_than_the_one_before
        one_ticket_draws_one_number_for_any_number_of_answers
        a_visitor_far_above_the_bound_reads_how_long_the_calculation_takes
        visitors_who_wait_side_by_side_draw_one_after_the_other
        a_visitor_who_comes_late_after_the_wait_holds_no_other_of_the_network_up
        a_wrong_answer_is_refused_and_says_what_is_accepted
        a_visitor_who_does_not_calculate_waits_ten_minutes_instead
        a_challenge_that_was_solved_outlives_trouble_of_the_store
        an_open_room_challenges_no_visitor
        an_ended_ticket_above_the_bound_is_challenged_with_one_call
        an_invitation_to_a_group_draws_a_number_there_once
        a_number_of_a_group_costs_one_call_and_waiting_none
        a_visitor_of_a_group_reads_so_and_operators_see_the_lane
        where_no_invitation_is_taken_operators_see_nothing_of_them
        without_a_group_its_invitations_are_kept
        a_visitor_with_a_number_goes_over_to_a_group
        a_permit_is_shared_as_any_release
        on_hold_numbers_of_groups_are_drawn_and_none_goes_in
        in_an_open_room_both_lanes_go_in
        a_new_epoch_ends_the_tickets_of_a_group_too
        a_lost_answer_draws_one_number_of_a_group
        while_the_store_is_away_both_lanes_stand
        a_called_visitor_of_a_group_takes_a_slot_and_frees_it
        a_group_opens_with_the_event
        where_the_store_lost_its_data_a_copy_brings_a_group_back
        a_visitor_draws_in_the_line_of_the_region_and_reads_so
        a_new_epoch_ends_the_tickets_of_every_region
        waiting_in_a_region_costs_the_store_nothing_and_a_draw_one_call
        a_store_that_is_away_at_the_start_opens_nothing_and_the_line_moves_once_it_is_back
        the_order_of_a_prequeue_is_drawn_and_everybody_can_check_it
        until_the_public_value_is_given_the_line_stands
        no_public_value_is_taken_early_late_or_twice
        a_visitor_whom_no_copy_reaches_goes_in_by_the_lot_and_not_by_arrival
        an_event_by_lot_that_nobody_came_early_for_opens_at_once
        tickets_that_ended_in_the_prequeue_are_no_part_of_the_lot
        a_visitor_who_was_called_before_the_start_goes_in_by_the_old_number
        an_announced_order_stays_whatever_the_settings_say
        while_a_lot_is_awaited_no_operator_jumps_the_line_or_draws
        a_line_that_moved_between_the_seal_and_the_lot_goes_by_arrival
        operators_move_an_announced_event_and_change_no_order
        an_id_that_is_used_again_promises_no_lot
        an_event_that_opens_before_the_last_one_promises_no_lot
        a_lot_that_closes_undecided_shows_no_number
        who_came_behind_the_lot_is_told_the_place
        without_the_entry_that_was_committed_to_the_line_says_why_it_stands
        the_pace_of_the_polls_says_nothing_of_the_arrival
        an_event_set_live_counts_before_any_configured_one_and_is_taken_back
        an_event_that_is_brought_forward_live_begins_for_those_who_read_the_countdown
        an_event_that_is_moved_live_keeps_its_line
        an_event_that_is_cancelled_live_lets_the_line_move
        an_event_that_begins_at_once_ends_the_line_before_and_asks_first
        an_event_to_come_closes_a_running_room_and_asks_first
        an_event_that_a_list_which_is_over_hides_is_named
        an_event_that_begins_no_line_is_named_and_its_question_is_true
        an_event_is_sold_out_and_opened_again
        of_two_operators_who_set_events_the_second_reads_what_the_first_set
        what_is_no_event_moves_nothing_and_says_what_is_accepted
        an_event_set_twice_by_one_key_is_set_once
        an_event_by_lot_that_is_set_live_is_committed_to_at_once
        a_query_of_the_journal_is_read_exactly
        a_waiting_visitor_keeps_the_place_at_any_ticket_life
    }
    platform {
        credit_is_used_by_the_next_arrivals_and_capped
        an_admitted_ticket_is_signed_again_with_the_time_of_admission
        a_repeated_draw_gets_the_same_number
        a_script_the_store_forgot_is_sent_again
        another_epoch_ends_the_tickets
        a_store_that_lost_its_memory_is_rebuilt_from_the_tickets
        forged_tickets_are_all_refused_alike
        rotating_the_secret_keeps_the_places
        what_was_posted_while_waiting_is_not_sent
        programs_get_data
        status_is_data_for_operator_and_program
        health_needs_no_store_and_no_password
        wrong_credentials_are_told_how_to_identify
        an_unsound_configuration_is_a_plain_page_and_one_line_with_every_problem
        an_unsound_configuration_keeps_admitted_visitors_and_bypass_paths_served
        a_secret_that_is_unsound_lets_nobody_in_by_its_tickets
        the_waiting_status_is_a_setting
        a_waiting_page_in_a_frame_is_a_setting
        an_update_says_in_words_where_its_holder_stands
        an_update_draws_nothing
        an_update_tells_of_the_turn_and_the_next_request_goes_in
        an_update_answers_other_methods_with_what_it_takes
        a_browser_that_keeps_no_cookies_gets_a_page_that_says_so_after_two_tries
        a_browser_that_keeps_cookies_goes_back_to_its_place
        a_page_that_should_not_refresh_does_not
        the_language_that_a_visitor_chose_is_the_page_s
        a_reset_of_the_line_names_the_new_number_on_the_page
        the_page_promises_the_turn_for_as_long_as_the_ticket_lives
        nobody_is_sent_to_another_site
        a_path_that_begins_with_two_slashes_stays_on_this_site
        what_is_quoted_to_support_is_found_in_the_log
        an_app_written_for_cloudflare_finds_its_object_when_that_is_on
        a_page_of_a_listed_origin_may_read_that_it_waits
        without_a_list_of_origins_nothing_tells_who_asked
        the_brand_is_on_the_page_and_the_message_in_the_data
        without_a_brand_the_page_has_the_house_s_own_colours_and_no_gaps
        a_wrong_brand_closes_nothing_is_logged_and_named_by_the_health_route
        an_own_page_serves_with_a_digest_for_each_of_its_blocks
        the_page_in_the_docs_is_a_page
        a_page_written_for_the_version_before_shows_what_it_showed
        a_page_may_be_as_long_as_a_setting
        a_page_may_be_nested_as_deep_as_is_said
        a_broken_page_is_logged_and_the_built_in_one_serves
        the_page_has_the_visited_address_once
        every_button_of_the_page_leads_back_to_the_visited_address
        a_receipt_says_where_the_ticket_stands_and_support_sees_what_happened
        a_receipt_of_an_invited_visitor_is_of_a_line_and_ends_with_it
        a_receipt_that_was_altered_is_refused_without_a_call
        the_order_is_told_in_plain_words_with_the_visitor_s_number
        the_order_is_told_as_the_room_is_set
        reading_of_the_order_costs_no_call_before_the_answer_and_draws_nothing
        a_receipt_of_a_group_and_of_a_region_is_checked_too
        a_receipt_is_a_page_for_a_browser_and_its_check_a_form
        without_a_ticket_there_is_no_receipt_and_taking_one_costs_no_call
        each_room_has_a_line_of_its_own
        a_list_that_no_visitor_can_open_is_in_force_and_told_as_closed
        a_room_has_what_it_names_and_shares_the_rest
        the_routes_of_a_room_are_below_its_name
        the_origin_gets_no_ticket_of_any_room
        the_ticket_of_a_room_that_is_no_longer_listed_stays_at_the_edge
        a_path_that_may_be_of_several_rooms_is_refused
        the_log_and_the_metrics_name_the_room
        an_unsound_configuration_keeps_the_rooms_apart
        a_sick_origin_is_known_by_all_rooms_that_have_it_and_by_no_other
        a_waiting_page_of_a_room_that_is_no_longer_listed_asks_again
        the_line_of_the_kit_goes_on_here
        a_line_of_the_kit_that_was_ended_is_not_moved_again
        a_ticket_of_the_kit_is_one_until_the_end_in_the_first_room_only
        a_ticket_of_the_kit_takes_the_place_of_no_ticket_of_ours
        what_pages_of_other_origins_send_draws_nothing_and_gets_no_cookie
        only_preflights_go_to_the_origin_by_options
        a_request_that_meets_a_condition_goes_past_the_room
        a_condition_moves_its_requests_to_the_room_that_has_it
        no_condition_asks_for_a_cookie_of_the_room
        only_what_is_protected_stands_in_line
        what_programs_fetch_below_well_known_passes
        a_room_that_names_a_path_below_well_known_has_it
        a_path_that_is_cached_stands_in_line_all_the_same
        an_odd_path_stands_in_line
        a_web_socket_is_answered_that_it_is_not_supported
        a_web_socket_of_a_visitor_inside_is_handed_over_where_a_setting_says_so
        an_open_room_lets_in_what_is_no_visitor
        an_open_room_is_open_where_no_visitor_asks
        a_link_of_another_page_stops_nobody_s_refresh
        a_phone_that_tries_the_local_server_keeps_its_place
        what_cannot_show_the_answer_draws_nothing
        what_a_library_asks_for_before_a_click_draws_nothing
        while_others_wait_a_number_is_drawn_by_the_second_contact
        who_keeps_no_cookies_draws_nothing_while_others_wait
        where_nobody_waits_the_first_contact_draws
        a_cookie_that_is_no_ticket_draws_nothing_until_a_ticket_comes_back
        a_way_back_may_be_any_address_of_this_site
        what_is_sent_without_a_ticket_by_an_unsafe_method_draws_nothing
        a_frame_of_a_listed_page_draws_and_no_other
        what_a_page_asks_for_without_credentials_draws_nothing
        a_frame_of_this_site_draws_where_the_site_is_listed
        a_browser_inside_an_app_gets_a_page
        what_a_service_worker_sends_on_for_a_tab_is_a_page_given_in_place
        a_page_given_in_place_leads_to_no_other_address
        a_script_that_names_no_page_gets_data
        a_tab_that_shows_data_goes_on_by_itself
        an_unknown_method_goes_nowhere
        a_form_of_another_site_takes_no_place_away
        a_form_of_another_site_reaches_the_origin_for_a_visitor_inside
        without_posts_of_other_sites_there_is_no_twin
        a_twin_opens_nothing_but_to_a_form
        who_is_back_in_the_line_does_not_pass_by_an_old_twin
        a_hundred_wrong_logins_are_slowed_and_logged_and_the_right_one_still_works
        a_short_password_works_and_is_named_by_healthz_log_and_panel
        several_tokens_have_names_and_open_the_same
        a_token_with_the_role_event_sets_events_and_nothing_else
        the_role_event_ends_no_visit_but_by_an_event_that_is_configured_so
        an_operator_who_may_only_look_sees_the_panel_without_forms
        without_a_password_there_is_no_panel_whatever_else_opens
        without_credentials_the_operators_path_leads_to_its_slash_and_no_challenge_comes_before
        people_operate_the_room_from_listed_networks_only_and_programs_from_anywhere
        a_wrong_secret_of_the_operators_closes_their_routes_and_no_others
        a_reported_stock_bounds_the_line_and_is_named_wherever_the_line_is
        a_stock_ends_with_the_event_in_whose_time_it_was_reported
        a_visitor_behind_the_stock_reads_that_it_may_be_gone_and_no_other_does
        the_role_stock_reports_the_stock_and_nothing_else
        a_token_with_the_role_invite_makes_invitations_and_nothing_else
        a_visitor_goes_in_by_an_invitation_that_the_shop_asked_for
        an_invitation_is_made_without_a_store_call_and_while_the_store_is_away
        what_makes_no_invitation_says_what_is_accepted
        a_room_that_takes_no_invitation_makes_none
        an_invitation_is_good_in_the_room_that_was_asked_for_it
        who_asked_for_an_invitation_is_logged_and_the_code_is_not
        the_panel_shows_the_last_hour
        what_is_let_in_is_in_the_figures_of_this_minute_and_of_the_last_when_it_is_over
        every_live_setting_says_what_is_configured_and_leads_back
        a_browser_gets_a_page_for_every_mistake_and_a_program_a_problem
        a_press_during_an_outage_stays_on_the_page_and_is_one_change_when_sent_again
        what_was_just_set_can_be_undone
        what_would_help_a_growing_line_is_asked_about_done_and_undone
        a_higher_cap_is_proposed_where_the_cap_is_full_and_is_undone
        a_proposal_is_of_forms_alone_and_is_refused_where_it_says_otherwise
        the_panel_says_which_phase_it_is_and_what_comes_next
        where_a_lot_is_awaited_the_panel_asks_for_its_value_and_decides_it_once
        an_event_is_set_moved_and_removed_by_forms_and_that_is_undone
        an_event_that_a_form_words_wrongly_comes_back_with_what_was_typed
        nothing_is_undone_that_another_operator_set_since
        a_pace_five_times_the_last_one_asks_first
        a_line_is_held_whatever_another_operator_set_meanwhile
        what_operators_did_is_listed_with_who_when_and_from_where
        a_form_sent_twice_is_one_change
        the_button_that_lets_in_is_loud_only_where_it_lets_in
        a_form_sent_again_with_other_values_says_so_and_keeps_them
        while_the_store_is_away_the_panel_says_so_once
        of_two_operators_the_second_sees_what_changed_and_nothing_is_overwritten
        what_cannot_be_undone_asks_first_and_says_how_many_it_touches
        a_form_that_is_not_accepted_comes_back_as_the_panel_with_what_was_typed
        the_answer_names_what_a_permit_neither_used_nor_kept
        a_mode_that_holds_already_is_no_change
        in_front_of_a_closed_room_an_operator_gets_no_test_ticket_and_reads_why
        no_link_makes_the_panel_claim_that_something_was_done
        a_test_ticket_is_drawn_jumps_and_is_forgotten
        while_the_operators_path_is_unknown_no_program_s_token_reaches_the_origin
        a_jump_without_a_ticket_draws_no_number_and_takes_no_visitor_s_turn
        a_jump_past_waiting_visitors_lets_none_of_them_in
        what_strangers_wrote_is_text_on_the_panel
        the_hosts_of_a_domain_share_a_place
        a_place_from_before_the_hosts_shared_it_is_kept
        a_shared_place_is_nothing_where_each_host_has_its_own
        operators_are_answered_on_the_admin_host_and_on_no_other
        visitors_find_their_routes_on_every_host_but_the_admin_host
        on_the_admin_host_nothing_else_is_served
        a_change_on_the_admin_host_comes_from_its_own_pages
        a_panel_on_a_host_of_its_own_draws_no_test_tickets
        the_admin_host_has_no_other_spelling
        while_settings_are_unsound_nothing_goes_to_the_origin_by_the_admin_host
        while_the_operators_routes_are_unknown_no_password_reaches_the_origin
        a_visitor_above_the_bound_gets_a_number_for_the_answer_of_the_verifier
        the_page_of_a_challenge_leads_to_the_verifier_and_goes_on_without_it
        an_answer_that_is_not_the_verifier_s_moves_nothing
        an_answer_of_the_verifier_outlives_trouble_of_the_store
        a_challenged_bot_draws_after_the_answer_of_the_verifier
        a_bot_is_refused_without_a_number_a_ticket_or_a_store_call
        a_challenged_bot_draws_after_the_calculation
        an_invitation_spares_a_bot_no_calculation
        a_ticket_with_a_number_is_not_asked_about
        an_observed_bot_draws_and_is_counted
        in_an_open_room_the_platform_is_not_asked
        without_a_store_a_bot_is_refused_and_a_visitor_is_held
        a_verified_crawler_comes_back_later_and_draws_nothing
        health_says_which_signals_the_platform_knows
        a_monitor_with_a_signed_header_passes_without_a_ticket_or_a_store_call
        a_wrong_or_expired_header_changes_nothing_and_is_logged
        a_closed_room_and_an_outage_do_not_hold_an_allowed_client
        an_allowed_client_has_no_rights_of_an_operator
        a_listed_network_passes_without_a_ticket_or_a_store_call
        an_unlisted_network_and_an_unread_list_wait_like_any_other
        a_visitor_with_a_number_stays_one_in_a_listed_network
        a_byte_order_mark_is_ignored
        a_letter_that_is_not_seen_is_named
        a_path_beyond_ascii_is_listed_in_either_form
        a_protected_path_beyond_ascii_is_compared_widely
        a_room_has_paths_beyond_ascii
        what_is_no_path_says_which_letters_are_accepted
        a_path_behind_a_script_is_protected_as_itself
        the_health_names_a_setting_that_there_is_none_of
        no_token_and_no_operator_has_a_name_without_letters
    }
    all {
        short_waits_are_reported_as_a_client_counted
        new_visitors_draw_1_2_3
        admitted_if_and_only_if_the_cursor_has_reached_the_position
        the_very_request_that_moves_the_cursor_is_admitted
        ahead_is_position_minus_cursor_minus_one_and_never_grows
        the_page_counts_people_in_words
        the_page_refreshes_itself_without_script
        the_ticket_is_a_signed_token_that_lives_a_day
        an_altered_ticket_is_no_ticket
        changing_the_secret_ends_every_ticket
        bypass_paths_go_straight_to_the_origin
        the_waiting_page_comes_from_the_edge_and_loads_nothing
        the_panel_shows_the_line_to_the_operator
        the_permit_api_moves_the_line
        the_first_request_of_a_period_moves_the_line_once
        automatic_zero_is_off
        schedule_operator_and_origin_move_the_line_together
        a_change_of_pace_takes_effect_within_one_period
        every_decision_is_one_log_line
        next_in_line_sees_nobody_ahead
        other_cookies_do_not_hide_the_ticket
        permit_needs_post_this_site_and_a_sound_amount
        the_admin_prefix_is_exact_and_the_panel_is_never_open
        store_calls_are_counted_exactly
        idle_time_banks_nothing
        keys_expire
        a_store_that_is_down_is_a_waiting_page
        only_visits_draw_and_answers_carry_their_headers
        a_fresh_store_shows_zero
        the_cookie_is_lax_and_knows_no_version
        a_crowd_that_waits_costs_one_call_a_second
        a_release_elsewhere_is_seen_within_two_seconds
        while_a_visitor_waits_an_epoch_ends_admissions_within_two_seconds
        while_no_visitor_waits_an_epoch_ends_admissions_within_ten_seconds
        while_no_visitor_waits_who_is_inside_costs_a_tenth
        newcomers_who_go_straight_in_do_not_keep_a_data_centre_from_looking
        an_open_room_has_a_young_sign_when_the_store_goes_away
        who_is_inside_costs_one_call_a_second_and_never_waits_for_it
        a_young_ticket_is_not_sent_to_the_store_by_an_older_sign
        a_sign_older_than_the_draw_does_not_move_the_drawer_back
        raising_the_epoch_ends_the_admission_of_a_visitor_who_seldom_asks
        a_line_of_another_format_is_left_as_it_is
        on_hold_nobody_new_goes_in
        an_open_room_lets_everybody_in_and_counts_them
        a_closed_room_tells_everybody_and_nobody_draws
        a_pace_set_by_an_operator_goes_before_what_is_configured
        the_settings_say_what_is_configured_and_who_set_what
        of_two_operators_the_second_sees_what_the_first_changed
        a_message_set_by_an_operator_goes_before_what_is_configured
        a_cap_set_by_an_operator_goes_before_what_is_configured
        credit_can_be_cleared
        raising_the_epoch_needs_the_word_and_nobody_waits_behind_ended_numbers
        the_origin_s_token_lets_in_and_reads_and_no_more
        nothing_but_a_post_of_the_panel_s_own_site_changes_anything
        a_change_that_is_not_understood_says_what_is_accepted
        a_name_given_twice_changes_nothing
        a_query_on_a_change_is_refused
        what_is_said_of_json_that_is_no_object_fits_the_route
        a_test_ticket_is_for_a_browser_and_its_form
        the_same_key_draws_the_same_test_ticket
        what_an_operator_set_outlives_a_quiet_month
        what_operators_do_costs_one_call
        the_same_key_again_moves_nothing_and_answers_the_same
        a_change_without_an_answer_is_repeated_by_its_key
        a_key_used_for_something_else_is_refused
        a_key_is_forgotten_after_a_day
        a_repeat_shows_nobody_how_the_line_stood_then
        looks_are_sampled_and_draws_are_not
        the_query_is_logged_only_where_that_was_asked_for
        the_same_key_answers_the_same_wherever_the_line_has_moved
        a_spoilt_key_of_the_metrics_costs_no_poll
        the_clock_of_a_pop_opens_no_period
        a_called_ticket_is_admitted_once_however_often_it_comes
        a_closed_room_that_opens_again_costs_one_call
        who_cannot_draw_comes_back_later_each_time
        who_comes_after_a_failed_draw_costs_no_call
        who_has_no_number_reads_nothing_of_a_place
        without_the_store_hold_closed_and_sold_out_stay_and_let_in_nobody
        an_open_room_stays_open_without_the_store
        what_was_let_in_without_the_store_ends_with_a_hold_and_with_its_epoch
        ten_slots_take_ten_of_fifteen_arrivals_at_one_call_each
        seven_and_one_are_eight_and_of_seven_more_two_find_a_slot
        a_called_visitor_claims_with_one_call_and_is_inside_with_none
        a_called_visitor_of_a_full_room_waits_for_free_and_reads_why
        observed_the_cap_holds_no_visitor_back_and_counts_all
        a_cap_that_an_operator_or_an_event_sets_acts_as_the_settings_say_now
        latecomers_wait_for_no_slot_where_the_cap_is_observed_or_the_room_open
        the_cap_is_switched_on_and_off_over_visitors_inside
        on_hold_and_closed_no_called_visitor_claims
        an_open_room_ignores_the_cap_and_counts
        after_a_session_the_visitor_is_at_the_back_and_reads_why
        programs_and_forms_renew_a_session_as_pages_do
        a_session_that_the_origin_ends_frees_its_slot_and_its_ticket_is_refused
        no_older_ticket_of_an_ended_session_goes_in
        an_operator_ends_a_visit_by_what_the_visitor_reads_out
        a_waiting_visitor_whose_reference_is_ended_loses_the_number
        a_called_visitor_whose_reference_is_ended_takes_no_slot
        what_ends_no_session_says_what_is_accepted
        what_keeps_no_cookies_takes_half_of_the_slots_at_most
        a_form_of_another_site_goes_in_while_the_session_lasts
        a_new_length_counts_from_the_next_visit
        a_session_outlives_a_shorter_life_of_tickets
        a_claim_whose_answer_was_lost_has_one_session
        an_arrival_whose_answer_was_lost_has_one_session
        a_second_tab_that_brings_the_waiting_ticket_back_costs_no_slot
        without_the_store_a_called_visitor_is_held
        without_the_store_the_policy_lets_a_called_visitor_in
        an_invitation_leads_past_the_line_and_is_used_once
        a_visitor_with_a_number_goes_in_by_an_invitation
        an_invitation_for_several_visitors_is_used_by_so_many
        a_link_with_the_invitation_in_its_query_leads_to_a_button
        what_opens_a_link_uses_no_invitation_up
        a_link_with_an_invitation_stands_in_no_log
        what_is_no_invitation_is_refused_and_says_why
        a_request_that_is_not_understood_is_refused_and_nothing_moves
        the_page_that_takes_an_invitation_needs_no_script
        an_answer_that_was_lost_uses_an_invitation_once
        a_store_that_is_away_uses_no_invitation_up
        a_minute_takes_as_many_invitations_as_it_may
        a_room_that_lets_no_visitor_in_uses_no_invitation_up
        an_invitation_takes_a_free_slot_and_no_promised_one
        an_invitation_costs_one_call_with_the_draw_and_none_while_waiting
        a_form_of_another_page_takes_no_ticket_away
        a_visitor_whose_visit_has_ended_brings_an_invitation
        an_invitation_outlives_the_ticket_that_brought_it
        a_ticket_that_an_invitation_let_in_draws_the_number_that_it_had
        an_answer_that_was_lost_lets_nobody_into_a_room_on_hold
        what_programs_write_behind_a_link_is_no_part_of_the_code
        a_parameter_of_the_site_with_that_name_reaches_the_origin
        a_key_of_a_token_is_none_of_the_operator_nor_of_another_token_of_its_name
        a_change_is_the_same_as_a_form_and_as_json
        an_end_says_what_is_known_of_the_visit
        a_reference_is_read_with_any_dash
        of_two_tickets_the_one_that_is_inside_counts
        of_two_tickets_the_smaller_number_counts_and_none_is_drawn
        a_ticket_that_has_ended_takes_the_place_of_none
        a_session_that_is_over_takes_the_place_of_no_number
        of_two_twins_the_one_that_is_inside_counts
        what_sets_one_form_of_the_cookie_ends_the_other
        a_ticket_that_is_forgotten_is_forgotten_in_both_forms
    }
}
