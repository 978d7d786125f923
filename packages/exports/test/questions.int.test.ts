import { readFileSync, writeFileSync } from 'node:fs'
import { FreeSession } from '@shardwalk/db'
import { claimSampleNetwork, type ScratchDatabase } from '@shardwalk/testkit'
import { classifiedChain } from '@shardwalk/testkit/refresh-chain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { terminalTable } from '../src/index.ts'

const PAGE = new URL('../../../docs/analytics.md', import.meta.url)
const page = readFileSync(PAGE, 'utf8')

interface Question {
  readonly title: string
  readonly sql: string
  readonly answer: string
}
const questions: readonly Question[] = [
  ...page.matchAll(/^### (\d+\. .*)\n\n(?:\S.*\n)*\n?```sql\n([\s\S]*?)```\n\n```text\n([\s\S]*?)```$/gm),
].map(([, title, sql, answer]) => ({ title: title!, sql: sql!, answer: answer! }))

let scratch: ScratchDatabase
let session: FreeSession
beforeAll(async () => {
  scratch = await classifiedChain()
  await claimSampleNetwork(scratch)
  session = await FreeSession.open(scratch.url)
  await session.run("set time zone 'UTC'")
})
afterAll(async () => {
  await session?.close()
  await scratch?.close()
})

async function answerOf(sql: string): Promise<string> {
  const { columns, rows } = await session.run(sql)
  return `${terminalTable(columns, rows)}\n`
}

test('there are at least twenty questions', () => {
  expect(questions.length).toBeGreaterThanOrEqual(20)
})

/** `UPDATE_ANSWERS=1` writes them: look at every one that changes. */
test.runIf(process.env['UPDATE_ANSWERS'])('answers are written', async () => {
  let updated = page
  for (const { sql } of questions) {
    const answer = await answerOf(sql)
    const [before = '', after = ''] = updated.split(`\`\`\`sql\n${sql}\`\`\`\n\n`)
    const answered = after.replace(/```text\n[\s\S]*?```/, () => `\`\`\`text\n${answer}\`\`\``)
    updated = `${before}\`\`\`sql\n${sql}\`\`\`\n\n${answered}`
  }
  writeFileSync(PAGE, updated)
})

test.each(questions)('$title', async ({ sql, answer }) => {
  if (!process.env['UPDATE_ANSWERS']) expect(await answerOf(sql)).toBe(answer)
})
