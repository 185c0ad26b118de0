import { type Command, Option } from 'commander';
import { noted } from '../canaries/flags.ts';
import { logLevelOption, switchOption } from '../go-flags.ts';
import { acceptIgnoredFlags } from '../ignored-flags.ts';

const collect = (value: string, before: string[] = []): string[] => [...before, value];

/** `serin controller`: Flagger's flags keep their names and meaning (02-1.1). */
export function addControllerCommand(program: Command, run: (options: unknown) => Promise<void>): void {
  noted(acceptIgnoredFlags(program.command('controller')), {
    examples: ['serin controller --namespaces test,staging --mesh-provider kubernetes --metrics-server http://prometheus.monitoring:9090'],
  })
    .description('run the controller: release the Canaries of a cluster until it is stopped')
    .option('--kubeconfig <file>', 'kubeconfig; default: $KUBECONFIG, the pod’s service account, ~/.kube/config')
    .option('--master <url>', 'address of the API server, instead of the kubeconfig’s')
    .option(
      '--kubeconfig-service-mesh <file>',
      'kubeconfig of the cluster that holds the routing objects of meshes and ingress proxies; default: the same cluster',
    )
    .addOption(new Option('--namespace <name>', 'only this namespace').default('', 'all'))
    .addOption(new Option('--namespaces <list>', 'only these namespaces; permissions in each of them are enough').default('', 'all'))
    .addOption(
      new Option('--canary-selector <selector>', 'only Canaries with these labels, like team=shop; others are left alone').default(
        '',
        'all',
      ),
    )
    .option('--mesh-provider <name>', 'traffic provider of Canaries that name none', 'istio')
    .addOption(new Option('--ingress-class <name>', 'ingress class of generated HTTPProxies of Contour').default('', 'none'))
    .option('--ingress-annotations-prefix <prefix>', 'prefix of the annotations of ingress-nginx', 'nginx.ingress.kubernetes.io')
    .option('--metrics-server <url>', 'Prometheus for built-in and inline checks', 'http://prometheus:9090')
    .option(
      '--metrics-server-secret <folder>',
      'folder of a mounted Secret for it: token, or username and password; header.NAME; ca.crt; tls.crt and tls.key ($METRICS_SERVER_TOKEN, $METRICS_SERVER_USERNAME and $METRICS_SERVER_PASSWORD win)',
    )
    .option('--selector-labels <list>', 'labels that may select a target, by priority', 'app,name,app.kubernetes.io/name')
    .addOption(new Option('--include-label-prefix <list>', 'prefixes of labels copied to primaries; * is all').default('', 'none'))
    .addOption(switchOption('--enable-config-tracking', 'release changes of the ConfigMaps and Secrets that targets read', true))
    .addOption(
      new Option('--secrets-mode <mode>', 'track Secrets by watching their metadata by name, by reading them when a release starts, or not')
        .choices(['watch', 'get', 'off'])
        .default('watch'),
    )
    .addOption(
      new Option('--secrets-namespaces <list>', 'track Secrets in these namespaces only; elsewhere primaries read the originals').default(
        '',
        'all',
      ),
    )
    .addOption(
      new Option('--secrets-names <list>', 'track Secrets of these names only; primaries read the originals of others').default('', 'all'),
    )
    .option('--min-analysis-interval <duration>', 'shortest analysis.interval: shorter ones are raised to it', '10s')
    .option('--scale-down-delay <duration>', 'how long a side without traffic keeps its pods; default: one interval, at most 30s')
    .option(
      '--uninstall-grace <duration>',
      'how long a target and its Canary must both be gone before what was generated for them is removed',
      '5m',
    )
    .addOption(new Option('--event-webhook <url>', 'URL that receives every event ($EVENT_WEBHOOK_URL wins)').default('', 'none'))
    .addOption(new Option('--cluster-name <name>', 'shown in every alert').default('', 'none'))
    .addOption(
      new Option('--slack-url <url>', 'Slack webhook for the alerts of Canaries without alerts of their own ($SLACK_URL wins)').default(
        '',
        'none',
      ),
    )
    .addOption(
      new Option('--slack-token <token>', 'bot token, with https://slack.com/api/chat.postMessage as URL ($SLACK_TOKEN wins)').default(
        '',
        'none',
      ),
    )
    .addOption(new Option('--slack-proxy-url <url>', 'proxy for Slack ($SLACK_PROXY_URL wins)').default('', 'none'))
    .option('--slack-user <name>', 'name that alerts come from', 'flagger')
    .addOption(new Option('--slack-channel <name>', 'channel that alerts go to').default('', 'none'))
    .addOption(new Option('--msteams-url <url>', 'the same for Microsoft Teams, instead of Slack ($MSTEAMS_URL wins)').default('', 'none'))
    .addOption(new Option('--msteams-proxy-url <url>', 'proxy for Microsoft Teams ($MSTEAMS_PROXY_URL wins)').default('', 'none'))
    .addOption(
      new Option(
        '--allowed-addresses <list>',
        'only these addresses and networks, like 10.0.0.0/8, are called for Canaries, MetricTemplates and AlertProviders',
      ).default('', 'all'),
    )
    .addOption(
      switchOption('--require-secret-label', 'use only Secrets with the label serin.dev/usable-by, whichever secretRef names them', false),
    )
    .addOption(
      switchOption('--no-cross-namespace-refs', 'refuse Canaries that refer to objects, hosts or gateways of other namespaces', false),
    )
    .option(
      '--allowed-hosts <namespace=hosts>',
      'hosts that routes of a namespace (* is any) may take, like team-a=*.a.example.com,a.example.com; may be repeated',
      collect,
    )
    .option(
      '--allowed-gateways <namespace=gateways>',
      'gateways that routes of a namespace (* is any) may use, like team-a=istio-system/public; may be repeated',
      collect,
    )
    .option(
      '--journal-limit <number>',
      'releases of each Canary whose journals are kept for serin replay and serin backtest; 0 keeps none',
      '10',
    )
    .option('--port <number>', 'port of /metrics, /livez, /readyz and /healthz; 0 picks one', '8080')
    .addOption(switchOption('--enable-leader-election', 'run several replicas, one of which leads', false))
    .option('--leader-election-namespace <name>', 'namespace of the lease', 'kube-system')
    .option('--lease-duration <duration>', 'after this long without a renewal a standby takes over', '15s')
    .option('--renew-deadline <duration>', 'after this long without a renewal the leader stops writing', '10s')
    .option('--retry-period <duration>', 'pause between renewals', '2s')
    .option('--kubeconfig-qps <number>', 'requests a second to the API server', '100')
    .option('--kubeconfig-burst <number>', 'requests at once to the API server', '250')
    .option(
      '--api-server-timeout <duration>',
      'exit after so long without an answer from the API server, so that Kubernetes restarts the pod; 0s never',
      '10m',
    )
    // For tests and networks that drop idle streams sooner than the default notices.
    .addOption(new Option('--watch-silence <duration>', 'a watch without events for so long is opened again').default('150s').hideHelp())
    // For the demo: the controller ends when its parent does.
    .addOption(new Option('--end-with-stdin', 'stop when the standard input ends').hideHelp())
    .addOption(logLevelOption())
    .action(run);
}
