import { breakageOf, breakModules } from './breakages.ts';

/** `serin` from its sources, broken as `BREAKAGE` says: one of `breakages.ts`. */
breakModules(breakageOf(process.env.BREAKAGE ?? ''));
await import('../../src/cli/main.ts');
