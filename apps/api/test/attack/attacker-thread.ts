// Sends the requests of the attack, behind the API and the probe on machines with few cores: attackers
// compute elsewhere.
import { Agent } from 'node:http'
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { attack } from './attack.ts'
import type { AttackTask, ExpensiveReport } from './attacker.ts'
import { sender } from './send.ts'

// On Linux of this thread alone.
if (process.platform === 'linux') setPriority(10)

parentPort!.on('message', async (task: AttackTask) => {
  const report = task.kind === 'hostile' ? await attack(task.options) : await expensive(task)
  parentPort!.postMessage(report)
})

/** The same request many times at once. */
async function expensive({
  url,
  form,
  count,
}: Extract<AttackTask, { kind: 'expensive' }>): Promise<ExpensiveReport> {
  const agent = new Agent({ keepAlive: true })
  const send = sender(url, agent)
  const start = performance.now()
  const statuses = await Promise.all(Array.from({ length: count }, () => send(form).catch(() => 0)))
  agent.destroy()
  return { statuses, seconds: (performance.now() - start) / 1000 }
}
