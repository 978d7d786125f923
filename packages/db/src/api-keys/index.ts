export { apiKeyPrefix, hashApiKey, isApiKeyText, makeApiKey } from './key-text.ts'
export {
  API_KEYS_CHANNEL,
  type ApiKey,
  findApiKey,
  hasApiKeys,
  insertApiKey,
  listApiKeys,
  revokeApiKey,
} from './keys.ts'
