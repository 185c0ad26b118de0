import { breakModules } from '../../breakages.ts';
import { routeBreakageOf } from './breakages.ts';

/** `serin` from its sources, broken as `BREAKAGE` says: one of `breakages.ts`. */
breakModules(routeBreakageOf(process.env.BREAKAGE ?? ''));
await import('../../../../src/cli/main.ts');
