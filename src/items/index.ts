export { ITEM_KINDS, type ItemInput, type ItemKind } from './item.ts'
export { putItem, putItems, removeItem, removeItemsOfSource } from './put-items.ts'
export { tokenize, type Token } from './tokenize.ts'
