"""The script that Redis runs to acquire a place: it runs atomically, so the count is exact.

A window is a list of the admissions that count, oldest first, in microseconds; it expires by itself. The rules
are those of ``repaircore.limits.window``.
"""

from hashlib import sha1
from typing import Final

PEEK: Final = b"peek"

SCRIPT: Final = b"""\
-- KEYS: the window. ARGV: how many, in how many microseconds, the time (empty: Redis's own), peek or nothing.
-- Returns one line, which is parsed fastest: whether it was admitted, how many count now, the oldest, the time.
local key, count, window = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local now = tonumber(ARGV[3] or '')
if not now then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000000 + tonumber(time[2])
end

local function status(admitted, taken, oldest)
  return {ok = string.format('%d %d %.0f %.0f', admitted, taken, oldest, now)}
end

local last = tonumber(redis.call('LINDEX', key, -1) or 0)
local begun = last > 0 and last <= now + window  -- further ahead: the clock was wrong

if ARGV[4] == 'peek' then
  local oldest = begun and tonumber(redis.call('LINDEX', key, -count) or 0) or 0
  if oldest > now - window then return status(0, count, oldest) end
  return status(1, 0, now)
end

if last > 0 and not begun then redis.call('DEL', key) end
local oldest = begun and tonumber(redis.call('LINDEX', key, 0))
while oldest and oldest <= now - window do
  redis.call('LPOP', key)
  oldest = tonumber(redis.call('LINDEX', key, 0) or nil)
end
local taken = oldest and redis.call('LLEN', key) or 0
if taken >= count then return status(0, taken, oldest) end
local at = oldest and math.max(now, last) or now
redis.call('RPUSH', key, string.format('%.0f', at))
redis.call('PEXPIRE', key, math.ceil((at - now + window) / 1000))
return status(1, taken + 1, oldest or at)
"""

DIGEST: Final = sha1(SCRIPT, usedforsecurity=False).hexdigest().encode()
"""The SHA-1 by which Redis knows the script."""
