// Lua, each of them one atomic step on the keys of one hash tag. A record is kept as `VERSION WRITTEN-AT-MS RECORD`
// in a hash, its id also in a sorted set, which Redis orders by bytes: by code point.

/** KEYS records, ids. ARGV id, the version it replaces or "", channel, payload, new version, and unless it deletes the record. */
export const WRITE = `
local found = redis.call('HGET', KEYS[1], ARGV[1])
if (found and string.match(found, '^%S+') or '') ~= ARGV[2] then return 0 end
if ARGV[6] then
  local time = redis.call('TIME')
  local at = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
  redis.call('ZADD', KEYS[2], 0, ARGV[1])
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[5] .. ' ' .. at .. ' ' .. ARGV[6])
elseif found then
  redis.call('HDEL', KEYS[1], ARGV[1])
  redis.call('ZREM', KEYS[2], ARGV[1])
end
redis.pcall('PUBLISH', ARGV[3], ARGV[4])
return 1`;

/** KEYS records. ARGV id. Gives the server's time in seconds and microseconds and, when it is there, id and record. */
export const READ = `
local time = redis.call('TIME')
local found = redis.call('HGET', KEYS[1], ARGV[1])
if found then return {time[1], time[2], ARGV[1], found} end
return time`;

/** KEYS records, ids. ARGV the ends of a range of ids. Gives the same, with all ids and records. */
export const LIST = `
local found = redis.call('TIME')
for _, id in ipairs(redis.call('ZRANGEBYLEX', KEYS[2], ARGV[1], ARGV[2])) do
  local record = redis.call('HGET', KEYS[1], id)
  if record then
    found[#found + 1] = id
    found[#found + 1] = record
  end
end
return found`;

/** KEYS ids. ARGV the ends of a range of ids. Gives 1 when there is one. */
export const ANY = "return #redis.call('ZRANGEBYLEX', KEYS[1], ARGV[1], ARGV[2], 'LIMIT', 0, 1)";

/** KEYS grants, uses. ARGV id, grant, and its uses when they are counted. */
export const SAVE = `
if redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2]) == 1 and ARGV[3] then
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
end`;

/** KEYS grants, uses. Gives both, each as a list of names and values. */
export const GRANTS = "return {redis.call('HGETALL', KEYS[1]), redis.call('HGETALL', KEYS[2])}";

/** KEYS uses. ARGV id. Gives 1 when a use was taken. */
export const CONSUME = `
if tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or 0) < 1 then return 0 end
redis.call('HINCRBY', KEYS[1], ARGV[1], -1)
return 1`;

/** KEYS grants, uses. ARGV id. Gives 1 when there was one. */
export const REVOKE = `
redis.call('HDEL', KEYS[2], ARGV[1])
return redis.call('HDEL', KEYS[1], ARGV[1])`;
