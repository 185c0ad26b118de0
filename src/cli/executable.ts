import { runSerin } from './program.ts';

/** Node's exit code for a module whose await never ends: a pipeline must not take it for success. */
const NEVER_ENDED = 13;

// A single executable runs one CommonJS script, which has no await at its top.
let isDone = false;
// Not when a command ends the process by itself, as `--help` does.
process.once('beforeExit', () => {
  if (!isDone) process.exitCode = NEVER_ENDED;
});
void runSerin(process.argv).then(() => {
  isDone = true;
});
