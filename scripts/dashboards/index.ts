import type { Dashboard } from './dashboard.ts';
import { releaseDashboards } from './releases.ts';
import { serinDashboard } from './serin.ts';

export const dashboards: readonly Dashboard[] = [serinDashboard, ...releaseDashboards];

export function dashboardOf(uid: string): Dashboard {
  const found = dashboards.find((dashboard) => dashboard.uid === uid);
  if (found === undefined) throw new Error(`no dashboard ${uid}`);
  return found;
}
