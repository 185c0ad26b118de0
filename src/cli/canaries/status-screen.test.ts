import { describe, expect, it } from 'vitest';
import { snapshotIn } from '../../../test/fakes/stalled-release.ts';
import { waitingFor } from '../../../test/fakes/waiting-releases.ts';
import { aCanary, initialized } from '../../../test/fakes/world.ts';
import { reportOf } from '../../reading/canary-report.ts';
import { statusScreen } from './status-screen.ts';

const terminal = { color: false, unicode: true, live: false, columns: 120 };
const since = '2026-05-04T10:00:00Z';
const object = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'podinfo-primary', namespace: 'test' };
const report = reportOf(snapshotIn({ world: initialized(aCanary({ stepWeight: 25 })) }));

/** The lines below "Who can act". */
function who(over: Partial<typeof report>): string[] {
  const lines = statusScreen({ ...report, ...over }, terminal, false);
  const begin = lines.indexOf('Who can act') + 1;
  return begin === 0
    ? []
    : lines.slice(begin, lines.indexOf('', begin) < 0 ? undefined : lines.indexOf('', begin)).map((line) => line.trim());
}

describe('"Who can act" of serin status', () => {
  it('has each reason of one object, also two of one code', () => {
    const blockers = [
      { code: 'TemplateLeftover', object, field: 'spec.template.spec.hostNetwork', since },
      { code: 'TemplateLeftover', object, field: 'spec.template.spec.hostPID', since },
      { code: 'QuotaExceeded', object, since },
    ];
    expect(who({ blockers }).map((line) => line.split(/ {2,}/))).toEqual([
      ['TemplateLeftover', 'Deployment/podinfo-primary spec.template.spec.hostNetwork', 'the owner of the object that it names'],
      ['TemplateLeftover', 'Deployment/podinfo-primary spec.template.spec.hostPID', 'the owner of the object that it names'],
      ['QuotaExceeded', 'Deployment/podinfo-primary', 'the administrator of the cluster'],
    ]);
  });

  it('has a refusal that is stored only in the condition, before the blockers recorded until then', () => {
    const conditions = [
      { type: 'Accepted', status: 'False', reason: 'ForeignController', message: 'another controller writes the status' },
    ];
    const blockers = [{ code: 'GateClosed', webhook: 'freeze', since }];
    expect(who({ blockers, conditions }).map((line) => line.split(' ')[0])).toEqual(['ForeignController', 'GateClosed']);
    expect(who({ conditions }).map((line) => line.split(' ')[0])).toEqual(['ForeignController']);
  });

  it('is absent while the Canary is deleted', () => {
    expect(who({ deleting: true, blockers: [{ code: 'GateClosed', webhook: 'freeze', since }] })).toEqual([]);
  });
});

describe('a query without a value', () => {
  const snapshot = snapshotIn({ world: waitingFor('NoTraffic').world });
  const waiting = reportOf(snapshot);
  const query = 'sum(rate(istio_requests_total{destination_workload=~"podinfo"}[1m]))';

  it('is shown in wide output only, and is a field of the report', () => {
    const wide = statusScreen(waiting, terminal, true);
    expect(wide.slice(wide.indexOf('Queries'))[1]).toBe(`  request-success-rate  ${query}`);
    expect(statusScreen(waiting, terminal, false).join('\n')).not.toContain('sum(rate');
    expect(waiting.checks).toMatchObject([{ check: 'request-success-rate', query }]);
  });

  it('is in no condition, blocker or event', () => {
    const { announced, deliveries } = waitingFor('NoTraffic');
    expect(announced).not.toEqual([]);
    expect(JSON.stringify([waiting.conditions, waiting.blockers, announced, deliveries])).not.toContain('sum(rate');
  });
});
