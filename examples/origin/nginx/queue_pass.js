// Judges Queue-Pass for nginx: 204 for a good pass, 403 for everything else. njs 0.7.9 or newer, nothing else.
import crypto from 'crypto';

// By how many seconds the clocks of the edge and of this machine may differ.
const LEEWAY = 5;
// A pass has some 300 characters. Nothing longer is looked at.
const LONGEST = 1024;

const ROOMS = roomsOf(process.env.QUEUE_ROOM || '');

/** The names that are separated by commas or spaces. What is thrown here is in nginx's error log, and lets in no request. */
function roomsOf(text) {
    const names = text.trim().split(/\s*,\s*|\s+/);
    if (!names.every(name => /^[A-Za-z0-9_-]+$/.test(name))) {
        throw new Error('QUEUE_ROOM is "' + text + '". Accepted are names of rooms, separated by commas or spaces, each of letters, digits, - and _.');
    }
    return names;
}

/** The key of this name, from lines of a name, a space and 64 hexadecimal digits. */
function keyOf(kid) {
    const words = (process.env.QUEUE_PASS_KEYS || '').trim().split(/\s+/);
    for (let i = 0; i + 1 < words.length; i += 2) {
        if (words[i] === kid && /^[0-9a-f]{64}$/.test(words[i + 1])) {
            return Buffer.from(words[i + 1], 'hex');
        }
    }
    return undefined;
}

function parsed(part) {
    return JSON.parse(Buffer.from(part, 'base64url').toString());
}

/** Looks at every character, wherever the first difference is. */
function isSignedBy(key, text, signature) {
    const expected = crypto.createHmac('sha256', key).update(text).digest('base64url');
    let difference = expected.length ^ signature.length;
    for (let i = 0; i < expected.length; i++) {
        difference |= expected.charCodeAt(i) ^ signature.charCodeAt(i);
    }
    return difference === 0;
}

function isGood(pass) {
    const parts = pass.split('.');
    if (pass.length > LONGEST || parts.length !== 3) {
        return false;
    }
    const header = parsed(parts[0]);
    const key = keyOf(header.kid);
    if (header.alg !== 'HS256' || header.typ !== 'queue-pass+JWT' || !key) {
        return false;
    }
    if (!isSignedBy(key, parts[0] + '.' + parts[1], parts[2])) {
        return false;
    }
    const claims = parsed(parts[1]);
    const hosts = (process.env.QUEUE_HOSTS || '').trim().split(/\s+/);
    const isCurrent = typeof claims.exp === 'number' && claims.exp + LEEWAY > Date.now() / 1000;
    return isCurrent && ROOMS.includes(claims.room) && hosts.includes(claims.aud);
}

function check(r) {
    let isLetIn = false;
    try {
        isLetIn = isGood(r.headersIn['Queue-Pass'] || '');
    } catch (error) {
        // No JSON, or JSON of another shape.
    }
    r.return(isLetIn ? 204 : 403);
}

export default { check };
