<?php
// A shop that makes an invitation for one visitor, say a buyer whose payment failed. PHP 8.0 or newer, nothing else.
// Start it as `php invite.php BATCH GROUP`; without GROUP the invitation leads straight in.
declare(strict_types=1);

// For how many seconds it is good.
const QUEUE_LIFE = 7 * 24 * 3600;

function queue_encoded(string $data): string
{
    return rtrim(strtr(base64_encode($data), '+/', '-_'), '=');
}

/** The code of an invitation. */
function queue_invitation(string $key, string $room, string $batch, ?string $group = null): string
{
    $header = ['alg' => 'HS256', 'typ' => 'queue-invite+jwt'];
    $claims = ['room' => $room, 'batch' => $batch, 'uses' => 1, 'jti' => bin2hex(random_bytes(16)), 'exp' => time() + QUEUE_LIFE];
    if ($group !== null) {
        $claims['group'] = $group;
    }
    $text = queue_encoded(json_encode($header)) . '.' . queue_encoded(json_encode($claims));
    return $text . '.' . queue_encoded(hash_hmac('sha256', $text, $key, true));
}

$digits = (string) getenv('QUEUE_INVITE_KEY');
if (!preg_match('/^[0-9a-f]{64}$/D', $digits)) {
    fwrite(STDERR, "Set QUEUE_INVITE_KEY to the first line that `cargo dev secret invite` prints.\n");
    exit(1);
}
echo queue_invitation(hex2bin($digits), getenv('QUEUE_ROOM') ?: 'main', $argv[1] ?? 'shop', $argv[2] ?? null), "\n";
