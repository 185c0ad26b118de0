import { isDeepStrictEqual } from 'node:util';
import type { Canary } from '../../api/canary.ts';
import { names } from '../../api/names.ts';
import type { HttpMatch, Routes, UnreadableRoutes, Weight } from '../../api/routes.ts';
import type { JsonRecord } from '../../base/json.ts';
import { readAs, readWeights } from '../weights.ts';
import type { Dialect } from './dialect.ts';
import { readHeaders } from './header-match.ts';

/** The routes that the apex expresses, in whichever of the two versions. */
export function readMeshRoutes(canary: Canary, found: unknown, dialect: Dialect, where: string): Routes | UnreadableRoutes {
  const routes: JsonRecord[] = Array.isArray(found) ? found : [];
  const parts = routes.map(
    (each) => (each[dialect.http] ?? {}) as { match?: { headers?: unknown[] }; action?: { weightedTargets?: unknown } },
  );
  const [first] = parts;
  const split = readSplit(canary, first?.action?.weightedTargets, dialect);
  if (split === undefined) {
    const { canaryService, primaryService } = names(canary);
    return { unreadable: `${where} does not route to ${canaryService} and ${primaryService} with whole weights that sum to 100` };
  }
  const conditioned = parts.filter(({ match }) => match?.headers?.length);
  if (conditioned.length === 0) return readAs(split, undefined);
  const match: HttpMatch[] = [];
  for (const part of conditioned) {
    const entry = readHeaders(part.match?.headers ?? []);
    if (!entry || !isDeepStrictEqual(part.action, first?.action)) return { unreadable: `${where} has a condition that is none of ours` };
    match.push(entry);
  }
  return readAs(split, match);
}

function readSplit(canary: Canary, found: unknown, dialect: Dialect): Weight | undefined {
  if (!Array.isArray(found) || found.length !== 2) return undefined;
  const weightOf = (name: string): unknown => found.find((each) => dialect.targetName(each ?? {}) === name)?.weight;
  const { canaryService, primaryService } = names(canary);
  return readWeights({ primary: weightOf(primaryService), canary: weightOf(canaryService) });
}
