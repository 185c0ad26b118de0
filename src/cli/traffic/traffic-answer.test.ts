import { expect, it } from 'vitest';
import { TrafficReport } from '../../reading/documents/canary-documents.ts';
import { outputVersion } from '../../reading/documents/output-version.ts';
import { Output, type OutputFlags } from '../output/output.ts';
import { trafficAnswer } from './traffic-answer.ts';

const canary: TrafficReport = {
  apiVersion: outputVersion,
  kind: 'TrafficReport',
  object: { kind: 'Canary', namespace: 'test', name: 'web' },
  provider: 'istio',
  sides: { primary: 'web-primary', canary: 'web-canary' },
  readFrom: ['VirtualService test/web'],
};
const streams = { out: { write: () => undefined }, err: { write: () => undefined } };
const rendered = (report: TrafficReport, flags: OutputFlags = {}) => new Output(flags, {}, streams).render(trafficAnswer(report));
const rows = async (fields: Partial<TrafficReport>): Promise<string[]> =>
  (await rendered({ ...canary, ...fields })).trimEnd().split('\n').slice(1);

it.each<[what: string, fields: Partial<TrafficReport>, shown: string[]]>([
  [
    'a split',
    { traffic: { kind: 'weighted', primary: 90, canary: 10 } },
    ['  primary  web-primary  [#########-] 90%', '  canary   web-canary   [#---------] 10%'],
  ],
  [
    'a segment',
    { traffic: { kind: 'weighted', primary: 90, canary: 10 }, matching: true },
    [
      '  primary  web-primary  [#########-] 90% of the requests that match',
      '  canary   web-canary   [#---------] 10% of the requests that match',
    ],
  ],
  [
    'an A/B test',
    { traffic: { kind: 'matched', primary: 0, canary: 100 } },
    ['  primary  web-primary  all other requests', '  canary   web-canary   requests that match'],
  ],
  [
    'a mirror',
    { traffic: { kind: 'mirrored', primary: 100, canary: 30 } },
    ['  primary  web-primary  [##########] 100%', '  canary   web-canary   copies of 30%'],
  ],
  ['no route', {}, ['no route yet']],
  ['a route of another owner', { unreadable: 'it has three backends' }, ['not a split of primary and canary: it has three backends']],
])('%s of a Canary', async (_, fields, shown) => expect(await rows(fields)).toEqual(shown));

it('-o wide says which objects were read, -o name is what kubectl takes, -o json is the document of the schema', async () => {
  expect(await rendered(canary, { output: 'wide' })).toContain('read from VirtualService test/web');
  expect(await rendered(canary, { output: 'name' })).toBe('canary.flagger.app/web\n');
  expect(TrafficReport.parse(JSON.parse(await rendered(canary, { output: 'json' })))).toEqual(canary);
});

it('the revisions of a Knative Service, with their tags and addresses', async () => {
  const { sides: _, ...rest } = canary;
  const revisions = [
    { revision: 'web-00001', latest: false, percent: 90 },
    { revision: 'web-00002', latest: true, percent: 10, tag: 'next', url: 'http://next-web.test' },
    { latest: true, percent: 0, tag: 'soon' },
  ];
  const object = { kind: 'Service.serving.knative.dev', namespace: 'test', name: 'web' };
  expect((await rendered({ ...rest, object, provider: 'knative', revisions })).trimEnd().split('\n')).toEqual([
    'Service.serving.knative.dev test/web, provider knative',
    '  REVISION             TRAFFIC           TAG   URL',
    '  web-00001            [#########-] 90%  -     -',
    '  web-00002 (@latest)  [#---------] 10%  next  http://next-web.test',
    '  @latest              [----------] 0%   soon  -',
  ]);
});
