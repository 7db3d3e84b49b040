<?php
// Only visitors from the waiting room get past this file: it checks Queue-Pass. PHP 8.0 or newer, nothing else.
// Require it first in every entry point, or name it in auto_prepend_file.
declare(strict_types=1);

// By how many seconds the clocks of the edge and of this machine may differ.
const QUEUE_LEEWAY = 5;
// A pass has some 300 characters. Nothing longer is looked at.
const QUEUE_LONGEST = 1024;

/** The keys by their names, from lines of a name, a space and 64 hexadecimal digits. */
function queue_keys(string $text): array
{
    preg_match_all('/(\S+)\s+([0-9a-f]{64})(?!\S)/', $text, $pairs);
    return array_combine($pairs[1], array_map('hex2bin', $pairs[2]));
}

/** The names that are separated by commas or spaces; none where one is empty or no name of a room. */
function queue_rooms(string $text): array
{
    $names = preg_split('/\s*,\s*|\s+/', trim($text));
    return preg_grep('/^[A-Za-z0-9_-]+$/D', $names, PREG_GREP_INVERT) ? [] : $names;
}

function queue_decoded(string $part): mixed
{
    return json_decode((string) base64_decode(strtr($part, '-_', '+/')), true);
}

function queue_is_signed_by(string $key, string $text, string $signature): bool
{
    $digest = base64_encode(hash_hmac('sha256', $text, $key, true));
    return hash_equals(rtrim(strtr($digest, '+/', '-_'), '='), $signature);
}

/** What a good pass says, or null. */
function queue_claims(string $pass, array $keys, array $rooms, array $hosts): ?array
{
    $parts = explode('.', $pass);
    if (strlen($pass) > QUEUE_LONGEST || count($parts) !== 3) {
        return null;
    }
    [$header, $payload, $signature] = $parts;
    $named = queue_decoded($header);
    $kid = is_array($named) ? $named['kid'] ?? null : null;
    $key = is_string($kid) ? $keys[$kid] ?? null : null;
    if ($key === null || ($named['alg'] ?? '') !== 'HS256' || ($named['typ'] ?? '') !== 'queue-pass+JWT') {
        return null;
    }
    if (!queue_is_signed_by($key, "$header.$payload", $signature)) {
        return null;
    }
    $claims = queue_decoded($payload);
    $is_current = is_int($claims['exp'] ?? null) && $claims['exp'] + QUEUE_LEEWAY > time();
    $is_ours = in_array($claims['room'] ?? '', $rooms, true) && in_array($claims['aud'] ?? '', $hosts, true);
    return $is_current && $is_ours ? $claims : null;
}

/** Says why there is no page, and ends: what the shop answers has the shop's own Content-Type. */
function queue_refuse(int $status, string $text): void
{
    http_response_code($status);
    header('Content-Type: text/plain; charset=utf-8');
    exit("$text\n");
}

(function (): void {
    $keys = queue_keys((string) getenv('QUEUE_PASS_KEYS'));
    $room = (string) getenv('QUEUE_ROOM');
    $hosts = preg_split('/\s+/', (string) getenv('QUEUE_HOSTS'), -1, PREG_SPLIT_NO_EMPTY);
    $rooms = queue_rooms($room);
    $problem = match (true) {
        !$keys || $room === '' || !$hosts => 'Set QUEUE_PASS_KEYS to what `cargo dev secret pass` prints, QUEUE_ROOM and QUEUE_HOSTS.',
        !$rooms => "QUEUE_ROOM is \"$room\". Accepted are names of rooms, separated by commas or spaces, each of letters, digits, - and _.",
        default => null,
    };
    if ($problem !== null) {
        error_log($problem);
        queue_refuse(503, 'The shop is not set up.');
    }
    $claims = queue_claims($_SERVER['HTTP_QUEUE_PASS'] ?? '', $keys, $rooms, $hosts);
    if ($claims === null) {
        queue_refuse(403, "This shop is reached through its waiting room only. Go to https://{$hosts[0]}/.");
    }
    $_SERVER['QUEUE_TICKET'] = $claims['sub']; // For your log.
})();
