import type { MetricProviderType } from '../../../src/api/metric-template.ts';
import type { BackendCase } from '../../contracts/metric-backends/backend-case.ts';
import { allCases, backendCases } from '../../contracts/metric-backends/index.ts';
import { marked, planted } from './planted.ts';

interface Template {
  type: MetricProviderType;
  known: BackendCase;
  provider?: object;
  secret?: Record<string, string>;
}

/** The Secret of a case, with marks for its planted texts. */
const secretOf = ({ source: { secret = {} } }: BackendCase): Record<string, string> =>
  Object.fromEntries(Object.entries(secret).map(([key, value]) => [key, marked(value)]));

const { prometheus, cloudwatch } = backendCases;

/** By name: each contract case with a Secret, and further kinds of credentials. */
export const templates: Readonly<Record<string, Template>> = {
  ...Object.fromEntries(
    allCases.flatMap(({ title, type, known }) => {
      const { provider, secret } = known.source;
      const name = title.toLowerCase().replaceAll(' ', '-');
      return secret === undefined ? [] : [[name, { type, known, ...(provider && { provider }), secret: secretOf(known) }]];
    }),
  ),
  'prometheus-basic': {
    type: 'prometheus',
    known: prometheus,
    provider: { headers: { 'X-Scope': [planted('header')] } },
    secret: { username: planted('user'), password: planted('password') },
  },
  'prometheus-address': { type: 'prometheus', known: prometheus },
  'cloudwatch-session': {
    type: 'cloudwatch',
    known: cloudwatch,
    provider: { region: 'eu-west-1' },
    secret: { ...secretOf(cloudwatch), aws_session_token: planted('session') },
  },
};
