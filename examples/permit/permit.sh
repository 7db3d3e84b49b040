#!/bin/sh
# Lets visitors in from your backend: permit.sh AMOUNT KEY. curl 7.76 or newer.
#
# KEY names the event in your system, such as order-4711. The same KEY again within a day lets no more visitors in, so
# a call may be repeated after any fault.
set -eu
: "${2:?Usage: permit.sh AMOUNT KEY}"
: "${QUEUE_URL:?Set QUEUE_URL to the operators path of your site, such as https://shop.example/_queue}"
: "${PERMIT_TOKEN:?Set PERMIT_TOKEN to a permit_token of the edge}"

answer=$(mktemp)
trap 'rm -f "$answer"' EXIT

# The token goes through a pipe: every program on this machine can read a command line.
if printf 'Authorization: Bearer %s\n' "$PERMIT_TOKEN" |
    curl --silent --show-error --fail-with-body --max-time 10 --retry 4 --retry-connrefused --output "$answer" \
        --header @- --header "Idempotency-Key: $2" --data-urlencode "amt=$1" "$QUEUE_URL/permit"; then
    cat "$answer"
else
    # What was wrong, and what is accepted.
    cat "$answer" >&2
    exit 1
fi
