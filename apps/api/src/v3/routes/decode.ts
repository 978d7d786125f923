import { contractReplies, DecodeQuery, toDecodeReply } from '@shardwalk/api-schema'
import { objectRoute, type Route } from '../../http/route.ts'
import { FAILS } from './fails.ts'

const getDecode = objectRoute({
  path: '/api/v3/decode',
  tag: 'utils',
  summary: 'Names of opcodes and fields of bodies',
  description:
    'Answers in the order of the request. The same as POST with a JSON body `{"opcodes": […], "bodies": […]}`.',
  query: DecodeQuery,
  reply: () => contractReplies.Decode,
  fails: FAILS,
  handle: async (_context, query) => toDecodeReply(query),
})

export const DECODE_ROUTES: readonly Route[] = [getDecode]
