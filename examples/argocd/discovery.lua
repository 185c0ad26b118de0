-- Verbs of Serin that are possible in the present phase of a Canary, as actions of Argo CD.
local status = obj.status or {}
local phase = status.phase or ""
local isHeld = (obj.spec or {}).suspend == true or phase == ""
local isPaused = (status.release or {}).paused ~= nil
local isReleasing = phase == "Waiting" or phase == "Progressing" or phase == "WaitingPromotion"
local isIdle = phase == "Initialized" or phase == "Succeeded" or phase == "Failed"

local possible = {
  promote = isReleasing,
  rollback = isReleasing,
  pause = isReleasing and not isPaused,
  resume = isPaused,
  retry = phase == "Failed",
  undo = phase == "Succeeded",
  restart = isIdle,
}
local names = {
  promote = "Promote now",
  rollback = "Roll back",
  pause = "Pause",
  resume = "Resume",
  retry = "Retry the failed version",
  undo = "Undo the last promotion",
  restart = "Restart the primary",
}
local actions = {}
for verb, name in pairs(names) do
  actions[verb] = { disabled = isHeld or not possible[verb], displayName = name }
end
return actions
