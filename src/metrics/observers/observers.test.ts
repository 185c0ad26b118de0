import { expect, it } from 'vitest';
import { Provider } from '../../api/canary.ts';
import { renderQuery } from '../query-template.ts';
import { observerFor } from './index.ts';

const variables = {
  ...{ name: 'app', namespace: 'test', target: 'app', service: 'app', ingress: 'app', route: 'app', interval: '1m' },
  variables: {},
};

it.each(Provider.options)('05-W36: %s asks for failures only of the same requests as its success rate', (provider) => {
  const { requestSuccessRate, onlyFailures } = observerFor(provider, 'Deployment');
  const render = (query: string) => {
    const rendered = renderQuery(query, variables);
    return 'query' in rendered ? rendered.query : rendered.error;
  };
  const [successes = '', all = ''] = render(requestSuccessRate).split(/ \/ | \* 100$/);
  expect(successes).toMatch(/^sum\(rate\(.+\[1m\]\)\)$/);
  expect(render(onlyFailures)).toBe(`${all} unless ${successes.replace('sum(rate(', 'sum(').replace('[1m]))', ')')}`);
});
