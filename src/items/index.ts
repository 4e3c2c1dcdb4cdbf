export { ITEM_KINDS, type ItemInput, type ItemKind } from './item.ts'
export { putItems, removeItem } from './put-items.ts'
export { tokenize } from './tokenize.ts'
