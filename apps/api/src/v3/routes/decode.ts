import {
  contractReplies,
  DecodeQuery,
  InvalidQuery,
  legacyBodies,
  toDecodeReply,
} from '@shardwalk/api-schema'
import { objectRoute, postRoute, type Route } from '../../http/route.ts'
import { FAILS } from './fails.ts'

const getDecode = objectRoute({
  path: '/api/v3/decode',
  tag: 'utils',
  summary: 'Names of opcodes and fields of bodies',
  description:
    'Answers in the order of the request. The same as POST with a JSON body ' +
    '`{"opcodes": […], "bodies": […]}`.',
  query: DecodeQuery,
  reply: () => contractReplies.Decode,
  fails: FAILS,
  handle: async (_context, query) => toDecodeReply(query),
})

const MAX_DECODED = 1000

const postDecode = postRoute({
  path: '/api/v3/decode',
  tag: 'utils',
  summary: 'Names of opcodes and fields of bodies',
  description: 'The same as GET, for lists that no address line holds.',
  body: legacyBodies.decode,
  reply: () => contractReplies.Decode,
  fails: { 422: 'A value is wrong, or the body is not JSON.' },
  handle: ({ opcodes, bodies }) =>
    toDecodeReply({ opcodes: textList('opcodes', opcodes), bodies: textList('bodies', bodies) }),
})

function textList(name: string, value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string'))
    throw new InvalidQuery(`wrong value for "${name}": it is not a list of texts`)
  if (value.length > MAX_DECODED)
    throw new InvalidQuery(`${name} list exceeds maximum length of ${MAX_DECODED}`)
  return value
}

export const DECODE_ROUTES: readonly Route[] = [getDecode]
/** Beside the list of what reads the index. */
export const DECODE_POST_ROUTES: readonly Route[] = [postDecode]
