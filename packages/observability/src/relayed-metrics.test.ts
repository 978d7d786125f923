import { expect, test } from 'vitest'
import { createMetrics } from './metrics.ts'
import { addSamples, RelayedMetrics } from './relayed-metrics.ts'

test('what a thread counts and observes is added to the metrics of the process once', async () => {
  const thread = new RelayedMetrics()
  const runs = thread.registry.counter('runs_total', 'Runs.', ['outcome'])
  const seconds = thread.registry.histogram('run_seconds', 'Time.', [], [1, 2])
  thread.registry.gauge('places', 'Places.').set({}, 5)
  const metrics = createMetrics()
  const relay = () => addSamples(metrics, structuredClone(thread.take()))
  runs.inc({ outcome: 'ok' })
  runs.inc({ outcome: 'failed' }, 2)
  seconds.observe({}, 1.5)
  relay()
  relay()
  runs.inc({ outcome: 'ok' })
  relay()
  const text = await metrics.text()
  expect(text).toContain('shardwalk_runs_total{outcome="ok"} 2')
  expect(text).toContain('shardwalk_runs_total{outcome="failed"} 2')
  expect(text).toContain('shardwalk_run_seconds_bucket{le="2"} 1')
  expect(text).toContain('shardwalk_run_seconds_sum 1.5')
  expect(text).not.toContain('places')
})
