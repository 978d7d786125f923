import { blockIdExt, type ExactJson, JsonText, transactionId, type V2Address } from '@shardwalk/api-schema'
import type { NodeAccess } from '@shardwalk/node-access'
import { argumentsOf, type StackForm } from '@shardwalk/node-access/requests'
import type { V2Handlers } from './handler.ts'

interface RunQuery {
  readonly address: V2Address
  readonly method: string | number
  readonly stack: ExactJson
  readonly seqno?: number | undefined
}

async function run(node: NodeAccess, { address, method, stack: given, seqno }: RunQuery, form: StackForm) {
  const stack = argumentsOf(given, form)
  const account = await node.accounts.at(await node.blocks.masterchain(seqno), address)
  const result = await node.getMethods.runRaw({ account, method, stack })
  return { account, reply: { form, run: result, hasArguments: stack !== undefined } }
}

export const RUN_HANDLERS: V2Handlers<'runGetMethod' | 'runGetMethodStd'> = {
  async runGetMethod(node, query, work) {
    const { account, reply } = await run(node, query, 'legacy')
    const more = {
      block_id: blockIdExt(account.block),
      last_transaction_id: transactionId(account.lastTransLt, account.lastTransHash),
    }
    return new JsonText(await work('renderRun', { ...reply, more }))
  },

  async runGetMethodStd(node, query, work) {
    const { reply } = await run(node, query, 'typed')
    return new JsonText(await work('renderRun', reply))
  },
}
