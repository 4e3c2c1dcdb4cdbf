export { ITEM_KINDS, type ItemInput, type ItemKind } from './item.ts'
export { lengthOfItem, prepareItem, type PreparedItem } from './prepare-item.ts'
export { putItems, putPrepared, removeItem } from './put-items.ts'
export { tokenize } from './tokenize.ts'
