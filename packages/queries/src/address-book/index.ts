export type { BookRow } from './book-rows.ts'
export {
  LISTING_COLUMNS,
  type ListingRequest,
  type ListingRows,
  loadListing,
  NO_ROWS,
  PART,
} from './listing-rows.ts'
