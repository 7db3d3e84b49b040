variable "name" {
  description = "The name of the service. Its stores are named after it, so each service of an account needs another one."
  type        = string
  default     = "now-serving"

  validation {
    condition     = can(regex("^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$", var.name))
    error_message = "name must have 1 to 64 letters, digits, - and _, and begin with a letter or a digit."
  }
}

variable "package_path" {
  description = "The compiled package, such as now-serving-0.1.0.tar.gz of a release. Without it the one that fastly compute build puts into pkg of this checkout."
  type        = string
  default     = null
}

variable "config_store_name" {
  description = "The name of the config store where it is not that of the service and -config: config, if an earlier version of this example made it."
  type        = string
  default     = null
}

variable "secret_store_name" {
  description = "The name of the secret store where it is not that of the service and -secrets: secrets, if an earlier version of this example made it."
  type        = string
  default     = null
}

variable "domain" {
  description = "The name of the site in front of which the waiting room stands, such as www.shop.example."
  type        = string
}

variable "origin" {
  description = "The host of the site behind the waiting room, such as origin.shop.example."
  type        = string
}

variable "origin_first_byte_timeout" {
  description = "How long the site may take for the first byte of an answer, in milliseconds. The default is Fastly's."
  type        = number
  default     = 15000
}

variable "origin_between_bytes_timeout" {
  description = "How long the site may be silent within an answer, in milliseconds. The default is Fastly's."
  type        = number
  default     = 10000
}

variable "origin_host" {
  description = "The name by which the origin knows the site, such as shop-1234.herokuapp.com: for SNI, the certificate and the setting origin_host. Without it these are origin's, and the origin gets the visitor's Host."
  type        = string
  default     = null
}

variable "backends" {
  description = "Backends for rooms and regions, the host of each by its name, such as { japan_origin = \"japan.origin.shop.example\" }."
  type        = map(string)
  default     = {}

  validation {
    condition     = alltrue([for name in keys(var.backends) : can(regex("^[A-Za-z0-9._-]{1,64}$", name)) && !can(regex("^(protected_content|upstash)$", name))])
    error_message = "Each name in backends must have 1 to 64 letters, digits, -, _ and ., and not be protected_content or upstash."
  }
}

variable "upstash_url" {
  description = "The REST address of the Upstash Redis, such as https://eu1-name.upstash.io."
  type        = string

  validation {
    condition     = startswith(var.upstash_url, "https://")
    error_message = "upstash_url must begin with https://."
  }
}

variable "log_url" {
  description = "Where the log goes, one JSON object per line, such as https://logs.shop.example/ingest. Its host must answer Fastly's challenge (docs/how-to/deploy-with-the-cli.md). Without it there is no log."
  type        = string
  default     = null
}

variable "log_authorization" {
  description = "The value of the header Authorization that goes with the log. It stands in Terraform's state as text, and in the plan's file. Without it no such header is sent."
  type        = string
  sensitive   = true
  default     = null
}

variable "settings" {
  description = "Settings to begin with where they are not the defaults, such as { automatic = 30 }. Later ones are made in the store."
  type        = any
  default     = {}

  validation {
    condition = alltrue([for name in keys(var.settings) : contains([
      # settings: written by cargo dev docs
      "automatic",
      "automatic_quantity",
      "total_active",
      "session_minutes",
      "event",
      "protected_paths",
      "bypass_paths",
      "origin_host",
      "brand_name",
      "brand_colors",
      "brand_logo",
      "heading",
      "message",
      "template",
      "waiting_status",
      "refresh_interval",
      "on_store_error",
      "admit_for",
      "origin_health",
      "on_origin_error",
      "admin_path",
      "admin_host",
      "room",
      "rooms",
      "backend",
      "regions",
      "regions_lag",
      "ticket_life",
      "turn_minutes",
      "cookie_expiry",
      "cookie_domain",
      "session_renewal",
      "longest_stay_minutes",
      "claim_seconds",
      "active_visitors",
      "shared_tickets",
      "ticket_networks",
      "credit_max",
      "profile",
      "slow_ms",
      "sick_min",
      "sick_share",
      "watch_documents",
      "probe_path",
      "adaptive_pace",
      "window_min",
      "window_max",
      "absent_visitors",
      "network_bound",
      "network_draws",
      "signals",
      "verifier",
      "bypass_when",
      "allow_acl",
      "invited_per_minute",
      "priority",
      "invitations_revoked",
      "cache_paths",
      "command_paths",
      "frame_ancestors",
      "cors_origins",
      "cf_compat",
      "cross_site_posts",
      "origin_cookie",
      "websockets",
      "waf",
      "waf_workspace",
      "on_waf_error",
      "permit_max",
      "operators_acl",
      "log_sample",
      "log_query",
      "kit",
      "backend_calls",
      # end of settings
    ], name)])
    error_message = "There is a setting of another name: see the table in docs/reference/settings.md."
  }
}
