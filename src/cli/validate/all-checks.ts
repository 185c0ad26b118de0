import { checkTemplate } from '../../metrics/query-template.ts';
import { secretProblems, templateProblems } from '../../metrics/template-problems.ts';
import { receiverProblems } from '../../notifiers/receiver-problems.ts';
import { checkRoutes } from './check-routes.ts';
import type { ObjectChecks } from './object-findings.ts';

/** Checks of one object that other folders supply; loaded only when manifests are checked. */
export const allChecks = {
  checkTemplate,
  checkMetricTemplate: templateProblems,
  checkSecret: secretProblems,
  checkAlertProvider: receiverProblems,
  checkRoutes,
} satisfies ObjectChecks;
