import {
  blockIdExt,
  type ExactJson,
  readLegacyStack,
  readTypedStack,
  toLegacyStack,
  toTypedStack,
  transactionId,
  type V2Address,
} from '@shardwalk/api-schema'
import type { StackValue } from '@shardwalk/contracts'
import type { NodeAccess } from '@shardwalk/node-access'
import type { V2Handlers } from './handler.ts'

interface RunQuery {
  readonly address: V2Address
  readonly method: string | number
  readonly stack: ExactJson
  readonly seqno?: number | undefined
}

async function run(node: NodeAccess, query: RunQuery, args: readonly StackValue[]) {
  const account = await node.accounts.at(await node.blocks.masterchain(query.seqno), query.address)
  return { account, ...(await node.getMethods.run({ account, method: query.method, args })) }
}

export const RUN_HANDLERS: V2Handlers<'runGetMethod' | 'runGetMethodStd'> = {
  async runGetMethod(node, query) {
    const { account, gasUsed, stack, exitCode } = await run(node, query, readLegacyStack(query.stack))
    return {
      '@type': 'smc.runResult',
      gas_used: gasUsed,
      stack: toLegacyStack(stack),
      exit_code: exitCode,
      block_id: blockIdExt(account.block),
      last_transaction_id: transactionId(account.lastTransLt, account.lastTransHash),
    }
  },

  async runGetMethodStd(node, query) {
    const { gasUsed, stack, exitCode } = await run(node, query, readTypedStack(query.stack))
    return { '@type': 'smc.runResult', gas_used: gasUsed, stack: toTypedStack(stack), exit_code: exitCode }
  },
}
