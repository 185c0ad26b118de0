#!/usr/bin/env node
import { calledAs } from './called-as.ts';
import { LIKE_GO, withTwoDashes } from './go-flags.ts';
import { serinProgram } from './program.ts';

const words = process.argv.slice(2);
await serinProgram(calledAs(process.argv[1])).parseAsync(LIKE_GO.has(words[0] ?? '') ? withTwoDashes(words) : words, { from: 'user' });
