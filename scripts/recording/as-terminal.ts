/** Loaded before the program: its standard output counts as a terminal of the usual size, though a script reads it. */
import { SIZE } from './terminal-model.ts';

Object.assign(process.stdout, { isTTY: true, ...SIZE });
