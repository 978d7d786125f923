import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { INFRA, isInstalled } from './monitoring.ts'

/** Output of promtool, which says what is wrong. */
function promtool(...args: string[]): { readonly status: number | null; readonly text: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: INFRA, encoding: 'utf8' })
  return { status, text: stdout + stderr }
}

test.skipIf(!isInstalled('promtool'))('every alert fires when it should, and only then', () => {
  const checked = promtool('check', 'rules', 'alerts.yml')
  expect(checked.status, checked.text).toBe(0)
  const tested = promtool('test', 'rules', 'alerts.test.yml')
  expect(tested.status, tested.text).toBe(0)
})

test.skipIf(!isInstalled('promtool'))('the scrape configuration is right', () => {
  const checked = promtool('check', 'config', 'prometheus.yml')
  expect(checked.status, checked.text).toBe(0)
})
