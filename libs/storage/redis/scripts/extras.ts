/**
 * What is remembered with a document, so that its next write takes it out of where it stood: its due time (16 digits, and behind them
 * the anchor of its wait), group and owner, then its places in lists.
 */
export const EXTRAS = `
local function parts(text)
  local found, from = {}, 1
  while true do
    local at = string.find(text, '\\2', from, true)
    found[#found + 1] = string.sub(text, from, at and at - 1)
    if not at then return found end
    from = at + 1
  end
end

-- Its earliest item decides on a group's place among its owner's, and its earliest group on an owner's among all.
local function settle(items, groups, owners, earliest, touched)
  local ownersOf = {}
  for group, owner in pairs(touched) do
    local first = call('ZRANGEBYLEX', items, '[' .. group .. '\\0', '(' .. group .. '\\1', 'LIMIT', 0, 1)[1]
    local due = first and string.sub(first, #group + 2, #group + 17)
    local before = call('HGET', earliest, group)
    if due ~= before then
      if before then call('ZREM', groups, owner .. '\\0' .. before .. '\\0' .. group) end
      if due then
        call('ZADD', groups, 0, owner .. '\\0' .. due .. '\\0' .. group)
        call('HSET', earliest, group, due)
      else
        call('HDEL', earliest, group)
      end
      ownersOf[owner] = true
    end
  end
  for owner in pairs(ownersOf) do
    local first = call('ZRANGEBYLEX', groups, '[' .. owner .. '\\0', '(' .. owner .. '\\1', 'LIMIT', 0, 1)[1]
    if first then call('ZADD', owners, tonumber(string.sub(first, #owner + 2, #owner + 17)), owner)
    else call('ZREM', owners, owner) end
  end
end

local function dueOf(part) return string.sub(part, 1, 16) end
local function anchorOf(part) return string.sub(part, 17) end

local function escapedKey(key)
  if not string.find(key, '[%z\\1\\2]') then return key end
  return (string.gsub(key, '[%z\\1\\2]', {['\\0'] = '\\1a', ['\\1'] = '\\1b', ['\\2'] = '\\1c'}))
end
`;
