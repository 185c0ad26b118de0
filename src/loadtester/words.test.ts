import { describe, expect, it } from 'vitest';
import { argumentWords, commandLine } from './words.ts';

describe('commandLine', () => {
  it.each([
    { text: 'hey -z 1m http://a/', pipeline: [['hey', '-z', '1m', 'http://a/']] },
    { text: `hey -H 'Cookie: type=insider' "http://a/"`, pipeline: [['hey', '-H', 'Cookie: type=insider', 'http://a/']] },
    {
      text: `curl -sd 'test' http://a/token | grep token`,
      pipeline: [
        ['curl', '-sd', 'test', 'http://a/token'],
        ['grep', 'token'],
      ],
    },
    { text: 'hey \\\n  -c 2 http://a/\n', pipeline: [['hey', '-c', '2', 'http://a/']] },
    { text: `curl -d "a \\"quoted\\" \\$x" http://a/?q=1`, pipeline: [['curl', '-d', 'a "quoted" $x', 'http://a/?q=1']] },
    { text: `curl -d '' a"b"'c'\\ d`, pipeline: [['curl', '-d', '', 'abc d']] },
    { text: `curl -d 'price: $5; rm -rf / | sh' http://a`, pipeline: [['curl', '-d', 'price: $5; rm -rf / | sh', 'http://a']] },
    { text: 'curl -d cost$ http://a', pipeline: [['curl', '-d', 'cost$', 'http://a']] },
  ])('$text is read as a shell reads it', ({ text, pipeline }) => {
    expect(commandLine(text)).toEqual({ pipeline });
  });

  it.each([
    { text: 'hey http://a; rm -rf /', beyond: '`;`' },
    { text: 'curl http://a?x=1&y=2', beyond: '`&`' },
    { text: 'curl http://a && sh', beyond: '`&`' },
    { text: 'curl http://a || true', beyond: '`||`' },
    { text: 'curl http://a |& sh', beyond: '`||`' },
    { text: 'curl http://a > /tmp/x', beyond: '`>`' },
    { text: 'curl -d @- http://a < /etc/passwd', beyond: '`<`' },
    { text: 'curl http://$HOST/', beyond: 'a `$`' },
    { text: 'curl "http://$(id)/"', beyond: 'a `$`' },
    { text: 'curl "`id`"', beyond: 'a command in backticks' },
    { text: 'hey http://a\nsh', beyond: 'a second line' },
    { text: '(curl http://a)', beyond: 'a subshell' },
    { text: '# curl', beyond: '`#`' },
    { text: 'curl ~/x', beyond: '`~`' },
    { text: "curl 'http://a", beyond: 'a quote that is not closed' },
    { text: 'curl http://a |', beyond: 'a `|` without a command' },
    { text: '   ', beyond: 'no command' },
    { text: 'curl \\', beyond: 'a backslash at the end' },
  ])('$text needs a shell', ({ text, beyond }) => {
    expect(commandLine(text)).toEqual({ beyond });
  });
});

it('arguments of helm and kubectl are split by their quotes, and no other character is special', () => {
  expect(argumentWords(`run x --overrides='{ "spec": {} }' $HOME; | sh\n-n test`)).toEqual({
    words: ['run', 'x', '--overrides={ "spec": {} }', '$HOME;', '|', 'sh', '-n', 'test'],
  });
  expect(argumentWords(`get 'pods`)).toEqual({ beyond: 'a quote that is not closed' });
});
