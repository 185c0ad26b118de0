#!/usr/bin/env node
import { runSerin } from './program.ts';

await runSerin(process.argv);
