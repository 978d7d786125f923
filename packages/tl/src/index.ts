export {
  ADNL_OBJECTS,
  type AdnlMessage,
  type AdnlMessageName,
  type AdnlMessages,
  decodeAdnl,
  encodeAdnl,
} from './adnl.ts'
export {
  type CandidateHashData,
  decodeCandidateHashData,
  encodeFinalizeVote,
  encodeSignedBlockId,
} from './consensus.ts'
export {
  decodeAnswer,
  decodeFunction,
  decodeObject,
  decodeObjectAs,
  encodeAnswer,
  encodeError,
  encodeFunction,
  encodeObject,
  functionNameOf,
  LITE_ERROR_ID,
  LITE_FUNCTION_NAMES,
  type LiteAnswer,
  type LiteArguments,
  type LiteBoxed,
  type LiteCall,
  type LiteError,
  type LiteFunctionName,
  type LiteResults,
  resultNameOf,
} from './lite-api.ts'
export { decodeQuery, encodeQuery, type LiteQuery, type WaitPrefix } from './query.ts'
export type { LiteObject, LiteObjectName, LiteObjects } from './registry.ts'
