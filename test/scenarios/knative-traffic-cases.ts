import type { KnativeTraffic } from '../../src/api/kinds/knative-service.ts';
import type { TrafficFlags } from '../../src/routers/knative/traffic-flags.ts';

/** A traffic block, a command line, and the block after it. */
export type TrafficCase = [title: string, before: string, line: string, expected: string];

/** `v1=50 v2#stable=50 @#next=0`: revision, tag, percent of each target; `@` is the latest one. */
export function block(text: string): KnativeTraffic[] {
  return text.split(' ').flatMap((part) => {
    const [, name = '', tag, percent] = /^([^#=]+)(?:#([^=]+))?=(\d+)$/.exec(part) ?? [];
    if (name === '') return [];
    const target = name === '@' ? { latestRevision: true } : { revisionName: name };
    return [{ ...target, percent: Number(percent), ...(tag === undefined ? {} : { tag }) }];
  });
}
export function written(targets: readonly KnativeTraffic[]): string {
  return targets
    .map(({ latestRevision, revisionName, tag, percent }) => `${latestRevision ? '@' : revisionName}${tag ? `#${tag}` : ''}=${percent}`)
    .join(' ');
}
/** `--traffic a=1 --tag b=c`, as it would be typed. */
export function flagsOf(line: string): TrafficFlags {
  const flags: Record<'traffic' | 'tag' | 'untag', string[]> = { traffic: [], tag: [], untag: [] };
  for (const [, flag, value] of line.matchAll(/--(traffic|tag|untag) (\S+)/g)) flags[flag as keyof typeof flags].push(value ?? '');
  return flags;
}

/** The rules of Knative's traffic, each in several forms. */
export const trafficCases: TrafficCase[] = [
  ['a revision in the block gets its percentage', 'v1=100 v2#b=0', '--traffic v1=60 --traffic v2=40', 'v1=60 v2#b=40'],
  ['a revision that is not in the block is added', 'v1=100', '--traffic v1=90 --traffic v2=10', 'v1=90 v2=10'],
  ['a tag gets its percentage', 'v1=100 v2#b=0', '--traffic v1=60 --traffic b=40', 'v1=60 v2#b=40'],
  ['@latest gets its percentage', '@=100', '--traffic @latest=10 --traffic v1=90', '@=10 v1=90'],
  ['@latest is added where the block names revisions', 'v1=100', '--traffic @latest=10 --traffic v1=90', 'v1=90 @=10'],
  ['the revision of the latest, by its name, is a target of its own', '@=100', '--traffic v2=100', 'v2=100'],
  ['a percentage of 0 and one of 100 go', 'v1#a=100', '--traffic v1=0 --traffic v2=100', 'v1#a=0 v2=100'],
  ['one flag of 100 is a sum of 100', '@=100', '--traffic v1=100', 'v1=100'],
  ['three flags sum to 100', 'v1=100', '--traffic v1=33 --traffic v2=33 --traffic v3=34', 'v1=33 v2=33 v3=34'],
  ['a revision gets a tag', 'v1=100', '--tag v1=stable', 'v1#stable=100'],
  ['a revision that is not in the block gets one, and no traffic', 'v1=100', '--tag v2=next', 'v1=100 v2#next=0'],
  ['@latest gets a tag', '@=100', '--tag @latest=candidate', '@#candidate=100'],
  ['@latest gets one where the block names revisions', 'v1=100', '--tag @latest=candidate', 'v1=100 @#candidate=0'],
  ['a tag that the revision has already changes nothing', 'v1#stable=100', '--tag v1=stable', 'v1#stable=100'],
  ['a tag that the latest has already changes nothing', '@#now=100', '--tag @latest=now', '@#now=100'],
  ['a tag is taken away, and the share stays', 'v1#stable=100', '--untag stable', 'v1=100'],
  ['a revision without tag and share leaves', 'v1=100 v2#next=0', '--untag next', 'v1=100'],
  ['a revision with another tag stays', 'v1=100 v2#next=0 v2#beta=0', '--untag next', 'v1=100 v2#beta=0'],
  ['several tags are taken away', 'v1#a=100 v2#b=0 v3#c=0', '--untag a --untag b --untag c', 'v1=100'],
  ['the tag of the latest is taken away', 'v1=100 @#next=0', '--untag next', 'v1=100'],
  ['a tag named twice is taken away once', 'v1#a=100', '--untag a --untag a', 'v1=100'],
  ['a tag moves, whatever stands first', 'v1#now=100 v2=0', '--tag v2=now --untag now', 'v1=100 v2#now=0'],
  ['shares go to tags that are given behind them', 'v1=100', '--traffic stable=100 --tag v1=stable', 'v1#stable=100'],
  ['all three in the reverse order', 'v1#now=100', '--traffic now=100 --tag v2=now --untag now', 'v2#now=100'],
  ['a tag of this command is used by its shares', 'v1=100', '--tag v2=next --traffic next=5 --traffic v1=95', 'v1=95 v2#next=5'],
  ['so is a tag of the latest', 'v1=100', '--tag @latest=next --traffic next=5,v1=95', 'v1=95 @#next=5'],
  ['--traffic with commas', 'v1=100', '--traffic v1=50,v2=50', 'v1=50 v2=50'],
  ['--tag with commas', 'v1=100', '--tag v1=a,v2=b', 'v1#a=100 v2#b=0'],
  ['--untag with commas', 'v1#a=100 v2#b=0', '--untag a,b', 'v1=100'],
  ['commas and repeated flags together', 'v1=100', '--traffic v1=50,v2=25 --traffic v3=25', 'v1=50 v2=25 v3=25'],
  ['a comma at the end, as in the documentation', 'v1=100', '--tag v1=a,v2=b, --traffic a=50,b=50', 'v1#a=50 v2#b=50'],
  ['a tag moves when the command takes it away first', 'v1#now=100', '--untag now --tag v2=now', 'v1=100 v2#now=0'],
  ['so does that of the latest', '@#now=100', '--untag now --tag v1=now', '@=100 v1#now=0'],
  ['a second tag is a second target', 'v1#a=100', '--tag v1=b', 'v1#a=100 v1#b=0'],
  ['of the latest, too', '@#a=100', '--tag @latest=b', '@#a=100 @#b=0'],
  ['a tag fills the target without one before', 'v1#a=50 v1=50', '--tag v1=b', 'v1#a=50 v1#b=50'],
  ['several tags for one revision', 'v1=100', '--tag v1=a --tag v1=b --tag v1=c', 'v1#a=100 v1#b=0 v1#c=0'],
  ['for a new one', '@=100', '--tag v1=a,v1=b', '@=100 v1#a=0 v1#b=0'],
  ['a revision twice, by its tags', 'v1=100', '--tag v1=a,v1=b --traffic a=30,b=70', 'v1#a=30 v1#b=70'],
  ['by its name and by a tag that another target has', 'v1=50 v1#b=50', '--traffic b=10 --traffic v1=90', 'v1=90 v1#b=10'],
  ['a name that is a tag and a revision is the tag', 'v1=100 v2#v1=0', '--traffic v1=100', 'v2#v1=100'],
  ['a name without a tag of that name is a revision', 'v1#a=100 v2#b=0', '--traffic v2=100', 'v1#a=0 v2#b=100'],
  ['a revision without share and tag leaves', 'v1=50 v2=50', '--traffic v2=100', 'v2=100'],
  ['the latest, too', '@=100', '--traffic v1=100', 'v1=100'],
  ['what was left of earlier leaves with any command', 'v1=0 v2=100', '--tag v2=now', 'v2#now=100'],
  ['the latest has no name, so that it is the revision of the same change', 'v1=100', '--traffic @latest=100', '@=100'],
  ['and so it is with a tag', 'v1=100', '--tag @latest=next', 'v1=100 @#next=0'],
];

/** The examples of the documentation of `kn`. */
export const documentedCases: TrafficCase[] = [
  [
    'tag echo-v1 and echo-v2 as stable and staging',
    'echo-v1=50 echo-v2=50',
    '--tag echo-v1=stable --tag echo-v2=staging',
    'echo-v1#stable=50 echo-v2#staging=50',
  ],
  ['ramp echo-v3 up to 20%', 'echo-v2=90 echo-v3=10', '--traffic echo-v3=20 --traffic echo-v2=80', 'echo-v2=80 echo-v3=20'],
  ['give echo-v3 a tag and leave the split alone', 'echo-v2=80 echo-v3=20', '--tag echo-v3=candidate', 'echo-v2=80 echo-v3#candidate=20'],
  [
    'give echo-v3 a tag and 2%',
    'echo-v2=100',
    '--tag echo-v3=candidate --traffic candidate=2 --traffic echo-v2=98',
    'echo-v2=98 echo-v3#candidate=2',
  ],
  ['another tag for echo-v3', 'echo-v2=98 echo-v3#candidate=2', '--untag candidate --tag echo-v3=current', 'echo-v2=98 echo-v3#current=2'],
  ['take the tag away from echo-v3', 'echo-v2=98 echo-v3#current=2', '--untag current', 'echo-v2=98 echo-v3=2'],
  ['remove echo-v3 without tags', 'echo-v2=98 echo-v3=2', '--traffic echo-v2=100', 'echo-v2=100'],
  ['remove echo-v1 and its tag', 'echo-v1#old=0 echo-v2=100', '--untag old --traffic echo-v1=0', 'echo-v2=100'],
  [
    'two tags with half of the traffic each',
    'echo-v1=100',
    '--tag echo-v1=stable,echo-v2=current --traffic stable=50,current=50',
    'echo-v1#stable=50 echo-v2#current=50',
  ],
  ['all of it to the latest', 'echo-v1#stable=50 echo-v2#current=50', '--traffic @latest=100', 'echo-v1#stable=0 echo-v2#current=0 @=100'],
  ['tag the latest as current', '@=100', '--tag @latest=current', '@#current=100'],
  [
    'another tag and all of the traffic for echo-v4',
    'echo-v3=100 echo-v4#oldv4=0',
    '--untag oldv4 --tag echo-v4=testing --traffic testing=100',
    'echo-v4#testing=100',
  ],
  [
    'the tag latest moves from echo-v1 to echo-v2',
    'echo-v1#latest=50 echo-v2=50',
    '--untag latest --tag echo-v1=old --tag echo-v2=latest',
    'echo-v1#old=50 echo-v2#latest=50',
  ],
  ['split between the latest and another', 'svc-vwxyz=100', '--traffic @latest=10 --traffic svc-vwxyz=90', 'svc-vwxyz=90 @=10'],
  [
    'a tag for the latest and one for another',
    '@=100 svc-vwxyz#old=0',
    '--tag @latest=candidate --tag svc-vwxyz=current',
    '@#candidate=100 svc-vwxyz#old=0 svc-vwxyz#current=0',
  ],
];

/** The block that every mistake is made on. */
export const UNTOUCHED = 'v1#stable=100 @#newest=0';
export const trafficMistakes: [title: string, line: string, message: string][] = [
  ['@latest twice in --traffic', '--traffic @latest=50 --traffic @latest=50', '--traffic @latest: can be given only once'],
  ['a sum below 100, which is reported', '--traffic v1=50 --traffic v2=40', 'sum to 90'],
  ['a sum above 100, which is reported', '--traffic v1=60,v2=60', 'sum to 120'],
  ['a share of 0 alone, where that leaves a gap', '--untag stable --traffic v1=0', 'sum to 0'],
  ['@latest twice in --tag', '--tag @latest=a --tag @latest=b', '--tag @latest: can be given only once'],
  ['a tag that another revision has', '--tag v2=stable', '--tag v2=stable: v1 has this tag; take it away with --untag stable'],
  ['a tag of the latest', '--tag v2=newest', '--tag v2=newest: @latest has this tag'],
  ['a tag for two revisions of the command', '--tag v2=a,v3=a', '--tag v3=a: v2 has this tag'],
  ['a revision twice', '--traffic v1=50 --traffic v1=50', '--traffic v1: can be given only once'],
  ['a tag twice', '--traffic stable=50,stable=50', '--traffic stable: can be given only once'],
  ['a target by its tag and by its name', '--traffic v2=50,beta=50 --tag v2=beta', '--traffic beta=50: another value'],
  ['a tag that no revision has', '--untag absent', '--untag absent: no revision of this Service has this tag'],
  ['@latest is not a tag', '--untag @latest', '--untag @latest: no revision'],
  ['a percentage above 100', '--traffic v1=101', '--traffic v1=101: 101 is not a whole number from 0 to 100'],
  ['one below 0', '--traffic v1=-1', '--traffic v1=-1: -1 is not'],
  ['a fraction', '--traffic v1=99.5,v2=0.5', '--traffic v1=99.5: 99.5 is not'],
  ['a word', '--traffic v1=all', '--traffic v1=all: all is not'],
  ['a percent sign', '--traffic v1=100%', '--traffic v1=100%: 100% is not'],
  ['a share without =', '--traffic v1', '--traffic v1: write it as REVISION=PERCENT or TAG=PERCENT'],
  ['a tag without =', '--tag v1', '--tag v1: write it as REVISION=TAG'],
  ['a tag without a name', '--tag v1=', '--tag v1=: write it'],
  ['a share without a revision', '--traffic =100', '--traffic =100: write it'],
  ['two signs', '--tag v1=a=b', '--tag v1=a=b: write it'],
];
