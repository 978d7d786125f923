// Writes the Grafana dashboards in infra/grafana/dashboards from their definitions.
import { writeFileSync } from 'node:fs'
import { CHAIN } from './dashboards/chain.ts'
import { dashboardJson } from './dashboards/grafana.ts'
import { OPERATIONS } from './dashboards/operations.ts'

const DASHBOARDS = {
  operations: dashboardJson({
    uid: 'shardwalk-operations',
    title: 'Shardwalk: operations',
    from: 'now-3h',
    refresh: '30s',
    description: 'Whether it runs, what is slow and why. docs/monitoring.md explains the metrics.',
    sections: OPERATIONS,
  }),
  chain: dashboardJson({
    uid: 'shardwalk-chain',
    title: 'Shardwalk: the chain',
    from: 'now-6h',
    refresh: '5m',
    description: 'What happens on the chain. docs/views.md explains the views; choose days, not years.',
    sections: CHAIN,
  }),
}

for (const [name, dashboard] of Object.entries(DASHBOARDS))
  writeFileSync(`infra/grafana/dashboards/${name}.json`, `${JSON.stringify(dashboard, undefined, 2)}\n`)
