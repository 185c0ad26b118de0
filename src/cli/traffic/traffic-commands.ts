import type { Command } from 'commander';
import type { TrafficFlags } from '../../routers/knative/traffic-flags.ts';
import { nameOf, noted, type RunOn, theCanary, withKubectlFlags } from '../canaries/flags.ts';
import type { ClusterFlags } from '../canaries/session.ts';

const collect = (value: string, before: string[] = []): string[] => [...before, value];

/** `serin traffic`: where requests go, and by hand for Knative Services. */
export function addTrafficCommands(program: Command, runOn: RunOn): void {
  const traffic = noted(program.command('traffic'), { examples: ['serin traffic show podinfo --namespace test'] }).description(
    'show where requests go, or split them by hand between the revisions of a Knative Service',
  );

  noted(withKubectlFlags(traffic.command('show')), { examples: ['serin traffic show podinfo --namespace test'], exits: ['no', 'notFound'] })
    .description('what each side of a Canary, or each revision of a Knative Service, receives; read from the objects of its provider')
    .addArgument(theCanary('a Canary, the Service that it routes, or a Knative Service'))
    .option('--mesh-provider <name>', 'traffic provider of Canaries that name none, as the controller has it', 'istio')
    .action(async (name: string, flags: ClusterFlags & { meshProvider: string }) =>
      runOn(name, flags, async (session, bare) => (await import('./traffic-command.ts')).showTraffic(session, bare, flags)),
    );

  noted(withKubectlFlags(traffic.command('set')), {
    examples: ['serin traffic set podinfo --tag podinfo-00001=stable --traffic stable=90,@latest=10 --image podinfo:2 --namespace test'],
    exits: ['notFound', 'refused'],
  })
    .description('change the traffic of a Knative Service: first every --untag is done, then every --tag, then every --traffic')
    .addArgument(nameOf('knativeServices', '<name>', 'a Knative Service'))
    .option('--traffic <share>', 'REVISION=PERCENT, TAG=PERCENT or @latest=PERCENT; all of a command sum to 100', collect)
    .option('--tag <tag>', 'REVISION=TAG or @latest=TAG: an address of its own for a revision', collect)
    .option('--untag <tag>', 'take a tag away', collect)
    .option('--image <image>', 'image of the first container, in the same write: @latest then is the revision that it makes')
    .action(async (name: string, flags: ClusterFlags & TrafficFlags & { image?: string }) =>
      runOn(name, flags, async (session, bare) => (await import('./traffic-command.ts')).changeTraffic(session, bare, flags)),
    );
}
