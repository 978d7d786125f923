// Reads one list and ends. In a thread, because hashing millions of cells would block the process for
// seconds.
import { parentPort } from 'node:worker_threads'
import { readAirdropList } from '@shardwalk/contracts'
import { DecodeError } from '@shardwalk/model'
import type { ListReply, ListRequest } from './read-list.ts'

parentPort?.once('message', ({ boc, root }: ListRequest) => {
  try {
    const columns = readAirdropList(Buffer.from(boc.buffer), root)
    const { workchains, hashes, amounts, times } = columns
    reply({ columns }, [workchains.buffer, hashes.buffer, amounts.buffer, times.buffer])
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    reply({ problem: error.message }, [])
  }
})

function reply(message: ListReply, transfer: ArrayBuffer[]): void {
  parentPort?.postMessage(message, transfer)
}
