import type { Command } from 'commander';
import type { TrafficFlags } from '../../routers/knative/traffic-flags.ts';
import { collect, nameOf, noted, type RunOn, withKubectlFlags } from '../canaries/flags.ts';
import type { ClusterFlags } from '../canaries/session.ts';

/** `serin traffic`: shows the split of requests, and changes it for Knative Services. */
export function addTrafficCommands(program: Command, runOn: RunOn): void {
  const traffic = noted(program.command('traffic'), { examples: ['serin traffic show podinfo --namespace test'] }).description(
    'show the traffic split of a Canary, or change that of a Knative Service',
  );

  noted(withKubectlFlags(traffic.command('show')), { examples: ['serin traffic show podinfo --namespace test'], exits: ['no', 'notFound'] })
    .description('show the traffic of each side of a Canary, or of each revision of a Knative Service, from the objects of its provider')
    .addArgument(nameOf('canaries', '<name>', 'a Canary, the Service that it routes, or a Knative Service'))
    .option('--mesh-provider <name>', 'traffic provider of Canaries without one: the same as the flag of the controller', 'istio')
    .action(
      runOn(async (session, name, flags: ClusterFlags & { meshProvider: string }) =>
        (await import('./traffic-command.ts')).showTraffic(session, name, flags),
      ),
    );

  noted(withKubectlFlags(traffic.command('set')), {
    examples: ['serin traffic set podinfo --tag podinfo-00001=stable --traffic stable=90,@latest=10 --image podinfo:2 --namespace test'],
    exits: ['notFound', 'refused'],
  })
    .description('change the traffic of a Knative Service: first each --untag, then each --tag, then each --traffic')
    .addArgument(nameOf('knativeServices', '<name>', 'a Knative Service'))
    .option('--traffic <share>', 'REVISION=PERCENT, TAG=PERCENT or @latest=PERCENT; the sum must be 100', collect)
    .option('--tag <tag>', 'REVISION=TAG or @latest=TAG: gives a revision its own address', collect)
    .option('--untag <tag>', 'remove a tag', collect)
    .option('--image <image>', 'also set the image of the first container: @latest is then the revision with this image')
    .action(
      runOn(async (session, name, flags: ClusterFlags & TrafficFlags & { image?: string }) =>
        (await import('./traffic-command.ts')).runTrafficSet(session, name, flags),
      ),
    );
}
