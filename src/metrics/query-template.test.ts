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

describe('query templates', () => {
  it.each([
    ['name and namespace', '{{ name }}.{{ namespace }}', 'podinfo.test'],
    ['target, with and without spaces', 'up{t=~"{{target}}-primary"}[{{ interval }}]', 'up{t=~"api-primary"}[1m]'],
    ['service, ingress and route', '{{ service }} {{ ingress }} {{ route }}', 'web ing r'],
    ['the interval as it was written', '{{ interval }}', '1m'],
    ['variables', '{{ variables.a }}', 'x'],
    ['no escaping, and white space as it is', ' {{ "<\'>" }}\n\t', " <'>\n\t"],
    ['a variable of its own', '{{- $r := printf "kube_%s" ingress }}{{ $r }}', 'kube_ing'],
    ['keys that are no names', '{{ index variables "a-b" }}{{ index variables "none" }}', 'dash'],
    ['trim marks and comments', 'a {{- /* gone */ -}} b{{- " " -}}  c', 'ab c'],
    ['pipes and parentheses', '{{ target | printf "%s-%s" "x" }}{{ printf "%q" (printf "%s" target) }}', 'x-api"api"'],
    ['raw texts and braces in texts', '{{ `raw` }}{{ "}" }}', 'raw}'],
    ['if', '{{ if eq variables.a "x" }}yes{{ else }}no{{ end }}', 'yes'],
    ['else if', '{{ if eq target "no" }}1{{ else if not variables.a }}2{{ else }}3{{ end }}', '3'],
    ['with', '{{ with index variables "a" }}[{{ . }}]{{ else }}none{{ end }}', '[x]'],
    ['with of nothing', '{{ with index variables "none" }}[{{ . }}]{{ else }}none{{ end }}', 'none'],
    ['with of a map', '{{ with variables }}{{ .a }}{{ end }}', 'x'],
    ['range over keys and values', '{{ range $k, $v := variables }}{{ $k }}="{{ $v }}",{{ end }}', 'a="x",a-b="dash",'],
    ['range, break and continue', '{{ range variables }}{{ if eq . "x" }}{{ continue }}{{ end }}{{ . }}{{ break }}{{ end }}', 'dash'],
    ['a variable changed in a block', '{{ $x := 1 }}{{ if true }}{{ $x = 2 }}{{ $y := 3 }}{{ end }}{{ $x }}', '2'],
    [
      'comparisons',
      '{{ eq 1 2 1 }} {{ ne "a" "b" }} {{ lt 1 2 }} {{ le 2 2 }} {{ gt "b" "a" }} {{ ge 1 2 }}',
      'true true true true true false',
    ],
    ['and, or, not, len', '{{ and 1 "" }}|{{ or "" 2 }}|{{ not 0 }}|{{ len "é" }}|{{ len variables }}', '|2|true|2|2'],
    ['slice', '{{ slice target 1 }} {{ slice target 0 2 }}', 'pi ap'],
    ['html, js, urlquery', '{{ html "<a&\'>" }} {{ js "it\'s" }} {{ urlquery "a b&c" }}', "&lt;a&amp;&#39;&gt; it\\'s a+b%26c"],
    ['print and println', '{{ print 1 2 "a" "b" 3 }}{{ println "a" 1 }}', '1 2ab3a 1\n'],
    ['verbs of printf', '{{ printf "%5s|%-3d|%.2f|%v|%t|%%|%d" "a" 1 2.5 "b" true "c" }}', '    a|1  |2.50|b|true|%|%!d(string=c)'],
    ['quoting of a variable', '{job={{ printf "%q" (print "a" "\\"" "b") }}}', '{job="a\\"b"}'],
  ])('renders %s', (_, template, query) => {
    expect(renderQuery(template, variables)).toEqual({ query });
  });

  it.each([
    ['{{ variables.b }}', /1:13, in \{\{ variables\.b \}\}: variables\.b is not set/],
    ['{{ foo }}', /1:4, in \{\{ foo \}\}: function "foo" not defined/],
    ['{{ .a }}', /1:4, in \{\{ \.a \}\}: \.a has no value: write \{\{ variables\.a \}\}/],
    ['{{ .Namespace }}', /\.Namespace has no value: write \{\{ namespace \}\}$/],
    ['up\n {{ foo }}', /2:5, in \{\{ foo \}\}: function "foo" not defined/],
    ['{{ target', /1:1, in \{\{ target: unclosed action/],
    ['{{ if target }}', /1:4, in \{\{ if target \}\}: \{\{ if \}\} without \{\{ end \}\}/],
    ['{{ if target }}{{ else }}{{ else }}{{ end }}', /\{\{ else \}\} without \{\{ end \}\}/],
    ['a{{ end }}', /1:5, in \{\{ end \}\}: unexpected \{\{ end \}\}/],
    ['{{ break }}', /outside of a range/],
    ['{{ range target }}{{ end }}', /range works only on variables/],
    ['{{ define "a" }}{{ end }}', /\{\{ define \}\} is not supported/],
    ['{{ call target }}', /\{\{ call \}\} is not supported/],
    ['{{ if true }}{{ $y := 1 }}{{ end }}{{ $y }}', /undefined variable \$y/],
    ['{{ . }}', /\. has no value outside of with and range/],
    ['{{ }}', /missing value/],
    ['{{ target "x" }}', /takes no arguments/],
    ['{{ printf "%x" target }}', /in \{\{ printf "%x" target \}\}: the verb %x of printf is not known/],
    ['{{ lt 1 "a" }}', /1:4.*only two numbers or two texts can be compared/],
    ['{{ slice target 9 }}', /no slice from 9/],
    ['{{ constructor }}', /function "constructor" not defined/],
  ])('refuses %s with the place of the mistake and its action', (template, error) => {
    const text = template.replace(/^[^{}]*: /, '');
    expect(renderQuery(text, variables)).toEqual({ error: expect.stringMatching(error) });
  });

  it.each([
    [
      'values that grow into each other',
      `{{ $x := "${'x'.repeat(1000)}" }}${'{{ $x = print $x $x }}'.repeat(40)}`,
      /gives more than 65536/,
    ],
    ['a long query', `{{ $x := "${'x'.repeat(1000)}" }}${'{{ $x }}'.repeat(70)}`, /longer than 65536/],
    ['parentheses', `{{ ${'('.repeat(20_000)}target${')'.repeat(20_000)} }}`, /too many parentheses/],
    ['blocks', `${'{{ if 1 }}'.repeat(3000)}${'{{ end }}'.repeat(3000)}`, /too many blocks/],
    ['wide fields', '{{ printf "%999999999s" target }}', /wider than 100/],
    ['loops in each other', `${'{{ range variables }}'.repeat(40)}${'{{ end }}'.repeat(40)}`, /takes more than 20000 steps.*spec\.query/],
    ['a loop over long values', `{{ $x := "${'x'.repeat(9000)}" }}${'{{ len $x }}'.repeat(100)}`, /takes more than 20000 steps/],
    ['fields of fields', `{{ variables${'.a'.repeat(30_000)} }}`, /too many fields/],
    ['a template of a megabyte', '{{ target }}'.repeat(90_000), /1:1, .*longer than 65536 characters/],
  ])('ends with an error for %s', (_, template, error) => {
    expect(renderQuery(template, variables)).toEqual({ error: expect.stringMatching(error) });
  });

  it('a rendering takes at most 20000 steps, three for each placeholder and one for each text', () => {
    const placeholders = '{{ "" }}'.repeat(6664);
    const texts = (count: number) => Array.from({ length: count }, () => 'a').join('{{ "" }}');
    expect(renderQuery(`${placeholders}${texts(2)}`, variables)).toEqual({ query: 'aa' });
    expect(renderQuery(`${placeholders}{{ "" }}${texts(2)}`, variables)).toEqual({ query: 'aa' });
    expect(renderQuery(`${placeholders}a{{ "" }}${texts(2)}`, variables)).toEqual({
      error: expect.stringContaining('more than 20000 steps'),
    });
  });

  it('a text that makes the query too long is named by its beginning', () => {
    const template = `{{ $x := "${'x'.repeat(1000)}" }}${'{{ $x }}'.repeat(65)}${'y'.repeat(600)}`;
    expect(renderQuery(template, variables)).toEqual({ error: expect.stringMatching(/ 1:1, .*longer than 65536 characters$/) });
  });

  it.each([
    ['fields of fields', `{{ variables${'.a'.repeat(30_000)} }}`, /too many fields/],
    ['a template of a megabyte', '{{ target }}'.repeat(90_000), /longer than 65536 characters/],
    ['values that are gone through again and again', `{{ $x := "${'x'.repeat(9000)}" }}${'{{ len $x }}'.repeat(100)}`, /20000 steps/],
  ])('ends with an error without the variables for %s', (_, template, error) => expect(checkTemplate(template)).toMatch(error));

  it('takes a template of 64 KiB that consists only of placeholders', () => {
    const template = '{{ target }}'.repeat(5461);
    expect(checkTemplate(template)).toBeUndefined();
    expect(renderQuery(template, variables)).toEqual({ query: variables.target.repeat(5461) });
  });

  it.each([
    ['{{ variables.anything }}', undefined],
    ['{{ slice variables.long 0 8 }}{{ if gt (len target) 3 }}a{{ end }}', undefined],
    ['{{ range variables }}{{ . }}{{ end }}', undefined],
    ['{{ tarrget }}', /"tarrget" not defined/],
    ['{{ if eq target "a" }}{{ tarrget }}{{ end }}', /1:26, in \{\{ tarrget \}\}/],
    ['{{ if eq target "a" }}{{ else }}{{ tarrget }}{{ end }}', /"tarrget" not defined/],
    ['{{ range variables }}{{ tarrget }}{{ end }}', /"tarrget" not defined/],
    ['{{ range variables }}{{ break }}{{ tarrget }}{{ end }}', /"tarrget" not defined/],
    ['{{ range variables }}{{ continue }}{{ end }}{{ tarrget }}', /"tarrget" not defined/],
    ['{{ printf "%x" target }}', /verb %x/],
  ])('finds the mistake in %s without knowing the variables', (template, error) => {
    if (error) expect(checkTemplate(template)).toMatch(error);
    else expect(checkTemplate(template)).toBeUndefined();
  });
});
