/** Prints the path of Node in a version, for this machine, and fetches it first where it is not in the cache: `node scripts/node-program.ts VERSION` */
import { nodeProgram } from './executable/node-package.ts';
import { chosenPlatforms } from './executable/platforms.ts';

const [, , version] = process.argv;
if (!/^\d+\.\d+\.\d+$/.test(version ?? '')) throw new Error('usage: node scripts/node-program.ts VERSION, like 24.21.0');
for (const name of chosenPlatforms([])) process.stdout.write(`${nodeProgram(name, version ?? '')}\n`);
