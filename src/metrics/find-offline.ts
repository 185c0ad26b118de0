import type { Canary, Metric } from '../api/canary.ts';
import { isBuiltin } from './built-in.ts';
import { atTurn } from './in-turn.ts';
import type { MeasureDependencies } from './measure-dependencies.ts';
import { type ServerDependencies, serverOf } from './metrics-source.ts';
import { type TemplateDependencies, templateBackend } from './template-backend.ts';

type OnlineDependencies = TemplateDependencies & ServerDependencies & Pick<MeasureDependencies, 'signal' | 'turns'>;

/**
 * Reason for which the first of a Canary's metrics cannot be queried, in the order of its list; undefined if all backends answer. Built-in metrics are checked
 * by their server, templates by their backend, and inline queries are not checked. Never throws.
 */
export async function findOffline(canary: Canary, deps: OnlineDependencies): Promise<string | undefined> {
  const { signal } = deps;
  const problemOf = (ask: () => Promise<string | undefined>) => atTurn(ask, deps, (reason) => reason);
  let server: Promise<string | undefined> | undefined;
  const reasonOf = async (metric: Metric): Promise<string | undefined> => {
    if (isBuiltin(metric)) {
      server ??= problemOf(() => serverOf(canary, deps).isOnline(signal));
      return server;
    }
    if (!metric.templateRef) return undefined;
    const found = await templateBackend(metric, canary.metadata.namespace, deps);
    if ('problem' in found) return found.problem;
    return problemOf(async () => {
      const reason = await found.backend.isOnline(signal);
      if (!signal.aborted) deps.templateAsked?.(found.template, reason);
      return reason;
    });
  };
  const metrics = canary.spec.analysis.metrics ?? [];
  const reasons = await Promise.all(metrics.map(reasonOf));
  const first = reasons.findIndex((reason) => reason !== undefined);
  return first < 0 ? undefined : `metric ${metrics[first]?.name} cannot be queried: ${reasons[first]}`;
}
