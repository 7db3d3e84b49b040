#!/bin/sh
# From nothing to a running waiting room at Fastly: docs/how-to/deploy-with-the-cli.md.
#
# It asks for what it needs first, looks whether the answers are right, and then makes everything. After a failure, run it
# again: what is there already stays as it is. NAME is the name of the service, PACKAGE a compiled package of a release,
# KEEP the file for the new secrets.
#
# A secret goes through standard input and never into a command line, which every process of the machine can read.

set -eu
umask 077
# What a-z means is the same everywhere.
export LC_ALL=C

NAME=${NAME:-now-serving}
KEEP=${KEEP:-$HOME/$NAME-secrets.txt}
PACKAGE=${PACKAGE:-}
case $KEEP in /*) ;; *) KEEP=$PWD/$KEEP ;; esac

say() { printf '%s\n' "$*"; }

# What does not stop it: said at once, and again at the end.
NOTES=
# Whether the file for the secrets was made by this run.
MADE=
note() {
  say "Note: $*"
  NOTES="$NOTES
  - $*"
}

stop() {
  [ -z "$MADE" ] || [ -s "$KEEP" ] || rm -f "$KEEP"
  printf '\nStopped: %s\n' "$*" >&2
  exit 1
}

failed() {
  printf '%s\n' "$out" >&2
  case $out in
    *'401 Unauthorized'* | *'requires authentication'*)
      stop "Fastly did not take the token. Give one in FASTLY_API_TOKEN, or once by: fastly auth login"
      ;;
    *) stop "the last command failed. When the cause is gone, run this again: it goes on from here." ;;
  esac
}

# Runs a command whose words are for $out, and for the reader only if it fails.
run() { out=$("$@" 2>&1) || failed; }

# Whether Fastly has what the command shows. An error is neither yes nor no.
is_there() {
  out=$("$@" 2>&1) && return
  case $out in *'404 Not Found'*) out= && return 1 ;; esac
  failed
}

# Whether Fastly does what the command asks for. A refusal leads on; an error, after which it may be done or not, does not.
is_granted() {
  out=$("$@" 2>&1) && return
  case $out in *'API returned 4'*) return 1 ;; esac
  failed
}

# The value of a line of $out, such as `Address: origin.shop.example`.
shown() { printf '%s\n' "$out" | sed -n "s/^$1: //p" | head -n 1; }

# Commands read nothing: the answers are for this script.
exec 3<&0 </dev/null
if [ -t 3 ]; then
  terminal=$(stty -g <&3)
  trap 'stty "$terminal" <&3' EXIT
  trap 'exit 1' HUP INT QUIT TERM
fi

ask() {
  printf '%s: ' "$1"
  IFS= read -r answer <&3 || stop "no answer to: $1"
}

ask_hidden() {
  [ ! -t 3 ] || stty -echo <&3
  ask "$1 (hidden)"
  [ ! -t 3 ] || stty "$terminal" <&3
  say
}

# The name of a host as DNS compares it, or nothing.
host() {
  name=$(printf %s "${1%.}" | tr A-Z a-z)
  case $name in *[!a-z0-9.-]* | [.-]* | *. | *..*) ;; *) printf %s "$name" ;; esac
}

# A header for curl's standard input, so that no command line has the secret.
header() { printf 'header = "%s: %s"\n' "$1" "$2"; }

# What is missing on this machine.
missing=
command -v fastly >/dev/null || missing="$missing
  fastly: npm install --global @fastly/cli, or brew install fastly/tap/fastly"
command -v curl >/dev/null || missing="$missing
  curl: from your system's packages"
if [ -n "$PACKAGE" ]; then
  [ -f "$PACKAGE" ] || missing="$missing
  $PACKAGE, which PACKAGE names"
else
  command -v cargo >/dev/null || missing="$missing
  cargo: from https://rustup.rs; or set PACKAGE to the package of a release"
fi
[ -z "$missing" ] || stop "this machine lacks:$missing"
fastly auth token --help >/dev/null 2>&1 || stop "this fastly is too old: it has no 'fastly auth token'. Update it."
case $NAME in
  [!A-Za-z0-9]* | *[!A-Za-z0-9_-]*) stop "NAME has letters, digits, - and _, and begins with a letter or a digit." ;;
esac

# The account, and what it has under this name.
is_there fastly service search --name "$NAME" || :
found=$out
ID=$(shown ID)
COMMENT=$(shown Comment)
store_id() {
  # Without the option only the first page is listed.
  run fastly "$1-store" list --non-interactive
  printf '%s\n' "$out" | awk -v name="$2" '$1 == name { print $2 }'
}
CONFIG=$(store_id config "$NAME-config")
SECRETS=$(store_id secret "$NAME-secrets")

# The answers.
ask "Domain of the site, such as www.shop.example"
DOMAIN=$(host "$answer")
case $DOMAIN in *.*) ;; *) stop "a domain is letters, digits, - and dots, such as www.shop.example." ;; esac
ask "Origin: another name of your server, such as origin.shop.example"
ORIGIN=$(host "$answer")
case $ORIGIN in
  "$DOMAIN") stop "the origin needs a name of its own: $DOMAIN will lead to Fastly." ;;
  '') stop "the origin is the name of a host, without https:// and without a path." ;;
esac
ask "REST URL of the Redis at Upstash, such as https://eu1-name.upstash.io"
case $answer in https://*) ;; *) stop "the REST URL begins with https:// (redis:// is the other one)." ;; esac
answer=${answer#https://}
UPSTASH=$(host "${answer%/}")
[ -n "$UPSTASH" ] || stop "the REST URL is https:// and a host."
ask_hidden "Its REST token, the one that may write"
UPSTASH_TOKEN=$answer
case $UPSTASH_TOKEN in *[!A-Za-z0-9_=+/.-]* | '') stop "that is no REST token." ;; esac
SETTINGS=
while [ -z "$SETTINGS" ]; do
  ask "Trial account at Fastly? y, or Return for no"
  case $(printf %s "$answer" | tr A-Z a-z) in
    y | yes) SETTINGS='{"backend_calls":10}' ;;
    '' | n | no) SETTINGS='{}' ;;
    *) say "That is neither y nor n." ;;
  esac
done
ask "Log: s3, newrelic, the https:// URL of your own, or Return for none"
LOG=$answer
LOG_KEY=
LOG_SECRET=
need() { [ -n "$1" ] || stop "the log needs $2."; }
case $LOG in
  '') ;;
  s3)
    ask "Bucket"
    LOG_BUCKET=$answer
    need "$LOG_BUCKET" "a bucket"
    ask "Host of the storage, such as s3.amazonaws.com"
    LOG_HOST=$(host "$answer")
    need "$LOG_HOST" "a host, without https:// and without a path"
    ask_hidden "Access key"
    LOG_KEY=$answer
    ask_hidden "Secret key"
    LOG_SECRET=$answer
    need "$LOG_KEY" "a key"
    need "$LOG_SECRET" "a key"
    ;;
  newrelic)
    ask "Region: US or EU"
    LOG_REGION=$(printf %s "$answer" | tr a-z A-Z)
    case $LOG_REGION in US | EU) ;; *) stop "the region is US or EU." ;; esac
    ask_hidden "License key"
    LOG_KEY=$answer
    need "$LOG_KEY" "a key"
    ;;
  *[!!-~]*) stop "a log is a URL without blanks." ;;
  https://[A-Za-z0-9]*)
    ask_hidden "Value of the header Authorization, or Return for none"
    LOG_KEY=$answer
    ;;
  *) stop "a log is s3, newrelic, a URL with https://, or nothing." ;;
esac
case $LOG${LOG_BUCKET:-}$LOG_KEY$LOG_SECRET in
  *[\"\\]* | *[!\ -~]*) stop "what describes a log has no quotes, no backslashes, and no letters beyond ASCII." ;;
esac

# Whether they are right, before anything is made.
MARK="Now Serving for $DOMAIN"
# The version to look at: what visitors get, or else what is being made.
look() {
  run fastly service describe --service-id "$ID"
  VERSION=latest
  ! printf '%s\n' "$out" | grep -q '^Active version' || VERSION=active
}
# A service that runs must not get the address of another store.
same_backend() {
  is_there fastly service backend describe --service-id "$ID" --version "$VERSION" --name "$1" || return 0
  there=$(shown Address)
  [ "$there" != "$2" ] || return 0
  change="
  fastly service backend update --service-id $ID --version latest --autoclone --name $1 --address $2 --ssl-sni-hostname $2 --ssl-cert-hostname $2"
  [ "$1" != upstash ] || change="$change --override-host $2"
  [ "$VERSION" != active ] || change="$change
  fastly service version activate --service-id $ID --version latest"
  stop "the backend $1 leads to $there, not to $2. Answer $there, or change the backend first, and run this again:$change"
}
# The certificate that this script ordered: in the comment of the service, so that a later run knows it too.
ORDERED=
if [ -n "$found" ]; then
  case $COMMENT in
    "$MARK") ;;
    "$MARK, certificate "*) ORDERED=${COMMENT##* } ;;
    *) stop "your account has a service $NAME already ($ID), which is not for $DOMAIN. Take another name: NAME=tickets sh deploy/first.sh" ;;
  esac
  say "There is a service $NAME for $DOMAIN already ($ID): going on with it."
  look
  same_backend protected_content "$ORIGIN"
  same_backend upstash "$UPSTASH"
elif [ -n "$CONFIG$SECRETS" ]; then
  stop "your account has stores of the name $NAME already, and no service $NAME. Take another name: NAME=tickets sh deploy/first.sh"
fi
# A room has secrets of its own: a file of another account or domain is not for this one.
[ -e "$KEEP" ] || MADE=yes
printf '' >>"$KEEP" || stop "$KEEP, where the new secrets are kept, cannot be written."
chmod 600 "$KEEP"
[ ! -s "$KEEP" ] || [ "$(head -n 1 "$KEEP")" = "$MARK, service $ID" ] ||
  stop "$KEEP has the secrets of another room. Put it away, or name another file in KEEP."
said=$(header Authorization "Bearer $UPSTASH_TOKEN" | curl --silent --show-error --max-time 20 --config - \
  --data '["EVAL","return redis.call('\''SET'\'',KEYS[1],1,'\''EX'\'',60)","1","now-serving:first"]' "https://$UPSTASH/" 2>&1) || :
case $said in
  *'"result":"OK"'*) say "Upstash takes the token, and writes." ;;
  *) stop "Upstash did not write: $said. Copy URL and token anew; the read-only token is not enough." ;;
esac
code=0
said=$(curl --silent --output /dev/null --dump-header - --max-time 20 --header "Host: $DOMAIN" --write-out '%{http_code}' "https://$ORIGIN/") || code=$?
status=${said##*
}
case $code:$status in
  0:[123]??) say "The origin answers $status." ;;
  0:*) note "the origin answers $status to Host: $DOMAIN. Visitors would see that." ;;
  6:*) stop "there is no host $ORIGIN." ;;
  51:* | 60:*) stop "$ORIGIN has no certificate for that name, so Fastly would not connect." ;;
  *) note "the origin did not answer from here (curl: $code). Fastly must reach it." ;;
esac
location=$(printf '%s\n' "$said" | tr -d '\r' | tr A-Z a-z | sed -n 's/^location: *//p')
case $location in
  *//"$ORIGIN" | *//"$ORIGIN"[:/?]*)
    note "the origin sends visitors to $location, around the room. It must build addresses from the Host."
    ;;
esac

# What has the commands for operators: a release has it beside the package.
commands=now-serving
if [ -z "$PACKAGE" ]; then
  commands='cargo dev'
  cd "$(dirname "$0")/.."
  say "Building, which takes some minutes the first time."
  run fastly compute build --non-interactive
  PACKAGE=$PWD/pkg/now-serving.tar.gz
fi

# The service, which nothing serves before its first version is active.
if [ -z "$found" ]; then
  run fastly service create --type wasm --name "$NAME" --comment "$MARK"
  ID=$(printf '%s\n' "$out" | sed -n 's/.*Created service //p')
  VERSION=latest
fi
# Without it the CLI would take the one in fastly.toml.
[ -n "$ID" ] || stop "Fastly did not tell the id of the service: $out"
export FASTLY_SERVICE_ID="$ID"

# Names of stores are those of the whole account.
if [ -z "$CONFIG" ]; then
  run fastly config-store create --name "$NAME-config"
  CONFIG=$(store_id config "$NAME-config")
fi
if [ -z "$SECRETS" ]; then
  run fastly secret-store create --name "$NAME-secrets"
  SECRETS=$(store_id secret "$NAME-secrets")
fi
[ -n "$CONFIG" ] && [ -n "$SECRETS" ] || stop "a store is made and not listed yet: run this again."
run fastly config-store-entry update --upsert --store-id "$CONFIG" --key upstash_url --value "https://$UPSTASH"
if ! is_there fastly config-store-entry describe --store-id "$CONFIG" --key settings; then
  run fastly config-store-entry create --store-id "$CONFIG" --key settings --value "$SETTINGS"
elif [ "$SETTINGS" != '{}' ]; then
  note "the settings that are there stay as they are; a trial account needs \"backend_calls\": 10 in them."
fi

# New secrets are kept first and sent then: Fastly shows none again, and a rotation needs the old one.
hex() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }
password() {
  tr -dc 'abcdefghijkmnpqrstuvwxyz23456789' </dev/urandom | dd bs=1 count=20 2>/dev/null |
    sed 's/...../&-/g; s/-$//'
}
# `store_secret NAME VALUE OPTIONS`
store_secret() {
  name=$1 value=$2
  shift 2
  printf %s "$value" | fastly secret-store-entry create --store-id "$SECRETS" --name "$name" --stdin "$@"
}
secret() {
  ! is_there fastly secret-store-entry describe --store-id "$SECRETS" --name "$1" || return 0
  value=$(sed -n "s/^$1 //p" "$KEEP")
  if [ -z "$value" ]; then
    value=$($2)
    [ ${#value} -gt 22 ] || stop "this machine gave no randomness."
    [ -s "$KEEP" ] || printf '%s\n' "$MARK, service $ID" >"$KEEP"
    printf '%s %s\n' "$1" "$value" >>"$KEEP"
  fi
  run store_secret "$1" "$value"
}
secret jwt_secret hex
secret admin_password password
run store_secret upstash_token "$UPSTASH_TOKEN" --recreate-allow
say "Settings and secrets are stored."

link() {
  run fastly service resource-link list --version latest
  printf '%s\n' "$out" | grep -q "Name: $1\$" ||
    run fastly service resource-link create --version latest --resource-id "$2" --name "$1"
}

# `backend NAME HOST OPTIONS`: over TLS, with the certificate of that host.
backend() {
  name=$1 host=$2
  shift 2
  ! is_there fastly service backend describe --version latest --name "$name" || return 0
  run fastly service backend create --version latest --name "$name" --address "$host" --port 443 \
    --ssl-sni-hostname "$host" --ssl-cert-hostname "$host" "$@"
}

# Found under this name at once, with a certificate, before DNS moves.
try_name() {
  run fastly service domain list --version "$VERSION"
  TRY=$(printf '%s\n' "$out" | tr -s ' ' '\n' | grep 'edgecompute\.app$' | head -n 1)
}

first_name() {
  TRY=$(printf %s "$DOMAIN" | tr . - | cut -c1-58 | sed 's/-*$//').edgecompute.app
  is_granted fastly service domain create --version latest --name "$TRY" && return
  # Another customer may have it.
  TRY=${TRY%%.*}-$(hex | cut -c1-4).edgecompute.app
  run fastly service domain create --version latest --name "$TRY"
}

# The id of the domain, where it is a versionless one of this service. An account may have no such list.
versionless() {
  VERSIONLESS=
  is_granted fastly domain list --service-id "$ID" --fqdn "$DOMAIN" || return 0
  VERSIONLESS=$(printf '%s\n' "$out" | awk -v name="$DOMAIN" '$1 == name { print $2 }')
}

# A classic domain belongs to a version of the service. A newer account may have versionless ones only.
own_name() {
  ! is_there fastly service domain describe --version latest --name "$DOMAIN" || return 0
  versionless
  [ -z "$VERSIONLESS" ] || return 0
  is_granted fastly service domain create --version latest --name "$DOMAIN" && return
  classic=$out
  is_granted fastly domain create --fqdn "$DOMAIN" --service-id "$ID" && return
  printf '%s\n' "$classic" "$out" >&2
  note "$DOMAIN could not be added. If another service has it, move it when visitors may come."
}

# `log_by_api KIND FIELDS`: the CLI takes these keys on its command line only, so curl asks the same API.
log_by_api() {
  kind=$1
  shift
  said=$({
    header Fastly-Key "$(fastly auth token)"
    for field in name=queue_logs "$@"; do printf 'data-urlencode = "%s"\n' "$field"; done
  } | curl --silent --show-error --max-time 60 --write-out ' %{http_code}' --config - \
    "${FASTLY_API_ENDPOINT:-https://api.fastly.com}/service/$ID/version/$version/logging/$kind" 2>&1) || :
  case $said in *' 200') ;; *) stop "Fastly made no log: $said" ;; esac
}

has_log() {
  for kind in s3 newrelic https; do
    ! is_there fastly service logging "$kind" describe --version "$VERSION" --name queue_logs || return 0
  done
  return 1
}

# In a version that is not active: its number.
log() {
  version=$1
  case $LOG in
    s3)
      log_by_api s3 "bucket_name=$LOG_BUCKET" "domain=$LOG_HOST" "access_key=$LOG_KEY" "secret_key=$LOG_SECRET" \
        period=60 message_type=blank
      ;;
    newrelic) log_by_api newrelic "region=$LOG_REGION" "token=$LOG_KEY" ;;
    *)
      set -- "url=$LOG" method=POST content_type=application/x-ndjson json_format=2 message_type=blank
      [ -z "$LOG_KEY" ] || set -- "$@" header_name=Authorization "header_value=$LOG_KEY"
      log_by_api https "$@"
      ;;
  esac
}

if [ "$VERSION" = latest ]; then
  link config "$CONFIG"
  link secrets "$SECRETS"
  # The origin receives the Host of the visitor: an override would be given here.
  backend protected_content "$ORIGIN"
  # A visitor waits for the store no longer than this.
  backend upstash "$UPSTASH" --override-host "$UPSTASH" \
    --connect-timeout 1000 --first-byte-timeout 500 --between-bytes-timeout 500
  try_name
  [ -n "$TRY" ] || first_name
  own_name
  if [ -n "$LOG" ] && ! has_log; then
    run fastly service version list
    log "$(printf '%s\n' "$out" | awk '$1 ~ /^[0-9]+$/ && $1 > n { n = $1 } END { print n }')"
  fi
  say "Backends, domains and stores are joined. Deploying."
  run fastly compute deploy --non-interactive --no-default-domain --package "$PACKAGE"
  # It leaves a version that has this package already as it is: not active, if a run broke off then.
  look
  [ "$VERSION" = active ] || run fastly service version activate --version latest
else
  say "A version is active already: backends, domains and package stay as they are."
  try_name
  [ -n "$TRY" ] || TRY=$DOMAIN
  if [ -n "$LOG" ] && ! has_log; then
    run fastly service version clone --version active
    log "$(printf '%s\n' "$out" | sed -n 's/.* to version \([0-9]*\).*/\1/p')"
    run fastly service version activate --version "$version"
    say "Version $version has the log, and is active."
  fi
fi

# All POPs have a version within half a minute, rarely later.
say "Waiting for https://$TRY/_queue/healthz"
health() { curl --silent --max-time 10 "$@" "https://$TRY/_queue/healthz"; }
left=60
until [ "$(health --output /dev/null --write-out '%{http_code}')" = 200 ]; do
  left=$((left - 1))
  [ "$left" -gt 0 ] || stop "the service is not well. It says: $(health)"
  sleep 2
done
say "It says: $(health)"

# The certificate can be had before DNS moves. One that was there before stays when the room goes.
subscription() { is_granted fastly tls-subscription list --filter-domain "$DOMAIN" --include tls_authorizations --json; }
field() { printf '%s\n' "$tls" | sed -n "s/^    \"$1\": \"\(.*\)\",*\$/\1/p" | head -n 1; }
tls=
if subscription; then
  tls=$out
  if [ -z "$(field ID)" ] && is_granted fastly tls-subscription create --domain "$DOMAIN"; then
    ORDERED=$(printf '%s\n' "$out" | sed -n "s/.*Subscription '\([^']*\)'.*/\1/p")
    run fastly service update --comment "$MARK, certificate $ORDERED"
    ! subscription || tls=$out
  fi
fi
[ -n "$(field ID)" ] || note "no certificate was ordered: $out"
record() {
  printf '%s\n' "$tls" | awk -v want="$1" -F '"' '
    $2 == "RecordName" { name = $4 }
    $2 == "RecordType" { kind = $4 }
    $2 == "Type" { type = $4 }
    $2 == "Values" { on = 1; next }
    /\]/ { on = 0 }
    on && type == want { printf "     %s  %s  %s\n", name, kind, $2 }' | grep . ||
    say "     (not known yet: fastly tls-subscription list --include tls_authorizations --json)"
}

versionless
say
say "The waiting room runs: open https://$TRY/"
say "The panel is https://$TRY/_queue, for the user admin."
say
say "Next:"
if [ -s "$KEEP" ]; then
  say "  1. $KEEP has its password. Put what it holds where passwords are kept, and delete that file."
else
  rm -f "$KEEP"
  say "  1. Its password is where a run before put it. Is it lost, docs/how-to/rotate-secrets.md gives a new one."
fi
cat <<END
  2. Look at the site through the room; until DNS moves, your server receives $TRY as Host.
     Also: $commands probe --service https://$TRY
END
if [ "$(field State)" = issued ]; then
  say "  3. The certificate is issued already."
else
  cat <<END
  3. For the certificate, set this DNS record now. No visitor notices:
$(record managed-dns)
     Wait until it is issued: fastly tls-subscription list --filter-domain $DOMAIN
END
fi
cat <<END
  4. To send visitors here, change DNS of $DOMAIN, a day after you made its TTL short, to the CNAME. A bare domain cannot
     have one, and takes the other records:
$(record managed-http-cname)
$(record managed-http-a)
END
case $LOG in
  https://*)
    sum=$(printf %s "$ID" | { sha256sum || shasum -a 256 || openssl sha256 -r; } 2>/dev/null | cut -d ' ' -f 1)
    host=${LOG#https://}
    say "  5. For the log, ${host%%/*} must answer /.well-known/fastly/logging/challenge with 200 and this line:"
    say "     $sum"
    ;;
esac
cat <<END

The guides use these names:
  export FASTLY_SERVICE_ID=$ID CONFIG=$CONFIG SECRETS=$SECRETS
  export DOMAIN=$DOMAIN ORIGIN=$ORIGIN TRY=$TRY

To undo all of it, after DNS leads back to your server:
END
[ -z "$ORDERED" ] || [ "$ORDERED" != "$(field ID)" ] || say "  fastly tls-subscription delete --force --id $ORDERED"
[ -z "$VERSIONLESS" ] || say "  fastly domain delete --domain-id $VERSIONLESS"
cat <<END
  fastly service delete --force --service-id $ID
  fastly config-store delete --store-id $CONFIG
  fastly secret-store delete --store-id $SECRETS
END
[ ! -s "$KEEP" ] || say "  rm -f '$KEEP'"
cat <<END

Then delete the DNS record of _acme-challenge, and the database at Upstash: it still has the line, and a new room there would go
on with it.
END
[ -z "$NOTES" ] || say "
Look at these first:$NOTES"
