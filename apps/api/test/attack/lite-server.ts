import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { FIXTURE_CHAIN_FOLDER } from '@shardwalk/testkit'

const ENTRY = fileURLToPath(new URL('./lite-server-process.mjs', import.meta.url))

/** The recorded chain behind a lite server in a process of its own, which can be frozen. */
export async function forkLiteServer(): Promise<{ liteServer: ChildProcess; globalConfig: string }> {
  const liteServer = fork(ENTRY, [FIXTURE_CHAIN_FOLDER])
  const [globalConfig] = (await once(liteServer, 'message')) as [string]
  return { liteServer, globalConfig }
}
