import type { KubeObject } from '../../api/kube-object.ts';
import { parseMetricTemplate } from '../../api/parse-canary.ts';
import { templateProblems } from '../../metrics/template-problems.ts';
import type { SendOutcome } from '../../notifiers/notifier.ts';
import type { ConditionUpdate } from './provider-conditions.ts';

/** Conditions have room for more, but people have not. */
const LONGEST = 500;

/** The `Valid` condition of a MetricTemplate, judged without its Secret. */
export function validityOf(template: KubeObject): ConditionUpdate {
  const parsed = parseMetricTemplate(template);
  const [first] = 'problems' in parsed ? parsed.problems : templateProblems(parsed.metricTemplate.spec);
  if (first === undefined)
    return { type: 'Valid', status: 'True', reason: 'Valid', message: 'the template renders and its backend can be queried' };
  return { type: 'Valid', status: 'False', reason: 'InvalidSpec', message: `${first.path}: ${first.message}`.slice(0, LONGEST) };
}

/** Condition for the last query of its backend. `problem`: the reason for a missing answer. */
export function answeringOf(problem: string | undefined): ConditionUpdate {
  if (problem === undefined)
    return { type: 'Answering', status: 'True', reason: 'Answered', message: 'the backend answered its last query' };
  return { type: 'Answering', status: 'False', reason: 'Unanswered', message: problem.slice(0, LONGEST) };
}

/** Condition for the last alert to an AlertProvider. */
export function deliveringOf(outcome: SendOutcome): ConditionUpdate {
  if (outcome.ok) return { type: 'Delivering', status: 'True', reason: 'Delivered', message: 'the last alert was taken' };
  return { type: 'Delivering', status: 'False', reason: 'NotDelivered', message: outcome.reason.slice(0, LONGEST) };
}
