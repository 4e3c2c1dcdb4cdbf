import type { Nodes } from 'mdast'

/** A node and how it is held. */
export interface Visit {
  readonly node: Nodes
  readonly parent: Nodes | undefined
  /** 0 for the root. */
  readonly depth: number
}

/** Every node in document order, without recursion: how deep a text nests is its author's choice. */
export function* walkTree(root: Nodes): Iterable<Visit> {
  const stack: Visit[] = [{ node: root, parent: undefined, depth: 0 }]
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    yield visit
    const { node, depth } = visit
    if (!('children' in node)) continue
    for (let at = node.children.length - 1; at >= 0; at -= 1) {
      const child = node.children[at]
      if (child !== undefined) stack.push({ node: child, parent: node, depth: depth + 1 })
    }
  }
}
