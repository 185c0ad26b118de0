import { describe, expect, it } from 'vitest';
import { checkTemplate, renderQuery } from './query-template.ts';

const variables = {
  name: 'podinfo',
  namespace: 'test',
  target: 'api',
  service: 'web',
  ingress: 'ing',
  route: 'r',
  interval: '1m',
  variables: { a: 'x', 'a-b': 'dash' },
};

describe('query templates (05 T8–T11)', () => {
  it.each([
    ['up{ns="{{ namespace }}",t=~"{{target}}-primary"}[{{ interval }}]', 'up{ns="test",t=~"api-primary"}[1m]'],
    ['{{ name }} {{ service }} {{ ingress }} {{ route }}', 'podinfo web ing r'],
    ['{{ variables.a }}', 'x'],
    ['{{ index variables "a-b" }}{{ index variables "none" }}', 'dash'],
    ['a {{- /* gone */ -}} b', 'ab'],
    ['a  {{- " " -}}  b', 'a b'],
    ['{{ target | printf "%s-%s" "x" }}', 'x-api'],
    ['{{ printf "%q" (printf "%s" target) }}', '"api"'],
    ['{{- $r := printf "kube_%s" ingress }}{{ $r }}', 'kube_ing'],
    ['{{ `raw` }}{{ "}" }}', 'raw}'],
  ])('renders %s', (template, query) => {
    expect(renderQuery(template, variables)).toEqual({ query });
  });

  it.each([
    ['{{ variables.b }}', /1:13: variables\.b is not set/],
    ['up\n {{ foo }}', /2:5: function "foo" not defined/],
    ['{{ .target }}', /1:4: \.target has no value/],
    ['{{ target', /1:1: unclosed action/],
    ['{{ if target }}{{ end }}', /1:4: \{\{ if \}\} is not supported/],
    ['{{ }}', /missing value/],
    ['{{ target "x" }}', /takes no arguments/],
    ['{{ constructor }}', /function "constructor" not defined/],
  ])('refuses %s where the mistake is', (template, error) => {
    expect(renderQuery(template, variables)).toEqual({ error: expect.stringMatching(error) });
  });

  it('checks a template without knowing the variables', () => {
    expect(checkTemplate('{{ variables.anything }}')).toBeUndefined();
    expect(checkTemplate('{{ tarrget }}')).toMatch(/"tarrget" not defined/);
  });
});
