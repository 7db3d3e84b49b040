//! Takes over the line of Fastly's starter kit: its two numbers become the line of a room, and a setting says so.

use now_serving::queue::RoomName;
use serde_json::{Value, json};

/// The kit's keys: the last number that it let in, and the last that it drew.
const KEYS: [&str; 2] = ["queue:cursor", "queue:length"];

/// A room in which visitors drew keeps its line. Where this line was taken over before, what the kit let in since then is let in here too,
/// and the journal has a line for it. Visitors who went straight in and are not told yet stay so: the next line tells of them.
const SCRIPT: &str = r"
local line, list, cursor, length = KEYS[1], KEYS[2], tonumber(ARGV[1]), tonumber(ARGV[2])
-- How many numbers were drawn in all rolls of a lane, or of all lanes.
local function drawn_in(lane)
  local sum, words = 0, redis.call('HGETALL', line)
  for i = 1, #words, 2 do
    local of = string.match(words[i], '^(.+)/%d+ drawn$')
    sum = sum + (of and (not lane or of == lane) and tonumber(words[i + 1]) or 0)
  end
  return sum
end
local function note(moved)
  local known = redis.call('HGET', line, 'journal') or ''
  local seq, head, told, rest = string.match(known, '^(%d+) (%x+) (%d+) (.+)$')
  if not seq or moved == 0 then
    return
  end
  local has = redis.call('HMGET', line, 'period', 'left', 'credit')
  local words = {}
  for word in string.gmatch(redis.call('LRANGE', list, 0, 0)[1] or '', '%S+') do
    table.insert(words, word)
  end
  local time = redis.call('TIME')
  local now, to = time[1] * 1000 + math.floor(time[2] / 1000), told + moved
  local most = math.max(drawn_in('main'), tonumber(words[7] or 0))
  -- The groups stay where the last line left them.
  local groups = string.gsub(words[8] or '-', ':%d+:(%d+):', ':%1:%1:')
  local text = table.concat({ head, string.format('%d %d restore %s %d %d', seq + 1, now, told, to, most), groups, 0, has[1] or -1,
    has[2] or 0, has[3] or 0, words[13] or '0:0', '- kit -' }, ' ')
  head = redis.sha1hex(line .. ' ' .. text)
  redis.call('HSET', line, 'journal', string.format('%d %s %d %s', seq + 1, head, to, rest))
  redis.call('LPUSH', list, text)
end
local born, numbers = unpack(redis.call('HMGET', line, 'kit_born', 'kit'))
if numbers then
  -- All of it has ended since.
  if redis.call('HEXISTS', line, 'main/' .. born .. ' drawn') == 0 then
    return { 'again', born, numbers, numbers }
  end
  local field = 'main/' .. born .. ' served'
  local before = tonumber(redis.call('HGET', line, field)) or 0
  local now = math.max(before, math.min(cursor, tonumber(numbers)))
  redis.call('HSET', line, field, string.format('%d', now))
  note(now - before)
  return { 'again', born, numbers, string.format('%d', now) }
end
if drawn_in() > 0 then
  return { 'occupied' }
end
local time = redis.call('TIME')
born = string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))
numbers = string.format('%d', length)
cursor = string.format('%d', math.min(cursor, length))
local of = 'main/' .. born
redis.call('HSET', line, 'format', 1, 'own', born, 'began', born, 'anchor', born, 'sealed', 1, of .. ' served', cursor, of .. ' drawn', numbers,
  'kit', numbers, 'kit_born', born)
redis.call('EXPIRE', line, 2592000)
return { 'taken', born, numbers, cursor }
";

/// The line as the room has it now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenOver {
    /// Whether this was done before, and only the board has moved.
    pub again: bool,
    /// When the room's line was born, in milliseconds.
    pub born: u64,
    /// The last number of the kit that has a place here.
    pub numbers: u64,
    /// The last number that is let in.
    pub cursor: u64,
    /// How many visitors have drawn in the kit since then: they draw again.
    pub later: u64,
}

impl TakenOver {
    /// The setting `kit`, until that time.
    #[must_use]
    pub fn setting(&self, until: &str) -> Value {
        json!({ "until": until, "born": self.born, "numbers": self.numbers })
    }
}

/// Takes over the line that these commands of the store find.
///
/// # Errors
/// When the store does not answer, the kit drew no number, or the room has a line of its own.
pub fn take_over(
    store: impl Fn(&[&str]) -> Result<Value, String>,
    room: &RoomName,
) -> Result<TakenOver, String> {
    let [cursor, length] = KEYS.map(|key| number(key, &store(&["GET", key])?));
    // The kit's permit route takes negative amounts, which move its board below 0.
    let (cursor, length) = (cursor?.max(0).unsigned_abs(), length?.max(0).unsigned_abs());
    if length == 0 {
        let [_, key] = KEYS;
        return Err(format!(
            "The store holds no {key}: the kit has drawn no number, and there is nothing to take over."
        ));
    }
    let (line, numbers) = (
        room.line_key(),
        [cursor, length].map(|number| number.to_string()),
    );
    let [cursor, drawn] = &numbers;
    let journal = format!("{line}:journal");
    let said = store(&["EVAL", SCRIPT, "2", &line, &journal, cursor, drawn])?;
    let said = said.as_array().map(Vec::as_slice).unwrap_or_default();
    let of = |at: usize| {
        let text = said.get(at).and_then(Value::as_str);
        let number = text.and_then(|text| text.parse::<u64>().ok());
        number.ok_or_else(|| format!("The store answered the script with {}.", json!(said)))
    };
    if said.first().and_then(Value::as_str) == Some("occupied") {
        return Err(format!(
            "The room {room} has a line of its own, and nothing was changed. Take over the kit's line before a visitor draws in the room."
        ));
    }
    let numbers = of(2)?;
    Ok(TakenOver {
        again: said.first().and_then(Value::as_str) == Some("again"),
        born: of(1)?,
        numbers,
        cursor: of(3)?,
        later: length.saturating_sub(numbers),
    })
}

/// What a key of the kit holds; an absent one is 0.
fn number(key: &str, value: &Value) -> Result<i64, String> {
    match value {
        Value::Null => Ok(0),
        Value::String(text) => text
            .parse()
            .map_err(|_| format!("{key} holds {text:?}, which is no number.")),
        other => Err(format!("{key} holds {other}, which is no number.")),
    }
}
