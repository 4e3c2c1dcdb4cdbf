/** Lines that say how a diagram looks or behaves, not what it shows. */
const SETTING =
  /^(?:%%.*|style|linkStyle|classDef|cssClass|class\s+[\w,]+\s+\w+;?$|click|callback|link\s|links\s|direction|autonumber|activate|deactivate|destroy|end|dateFormat|axisFormat|tickInterval|excludes|includes|todayMarker|weekday|columns|accDescr\s*\{|hide\s|UpdateElementStyle|UpdateRelStyle|UpdateLayoutConfig|---)(?![\w-])|^(?:[{}]|end)$/

/** First words of lines whose rest is a label. */
const KEYWORD =
  /^(?:title|participant|actor|create\s+participant|create\s+actor|subgraph|section|state|class|namespace|note\s+(?:left|right)\s+of|note\s+over|note\s+for|note|loop|alt|else|opt|par|and|critical|option|break|rect|box|accTitle\s*:|accDescr\s*:|requirement|functionalRequirement|element|commit|branch|checkout|switch|merge|cherry-pick|x-axis|y-axis|quadrant-[1-4]|bar|line|group|service|junction)(?=\s|:|$)/i

const HEADER =
  /^(?:graph|flowchart|flowchart-elk|sequenceDiagram|classDiagram(?:-v2)?|stateDiagram(?:-v2)?|erDiagram|gantt|pie|journey|gitGraph|mindmap|timeline|quadrantChart|requirementDiagram|C4\w+|sankey(?:-beta)?|xychart(?:-beta)?|block(?:-beta)?|packet(?:-beta)?|kanban|architecture(?:-beta)?|zenuml|radar(?:-beta)?|treemap(?:-beta)?)(?=[\s:;]|$)(?:\s+(?:TB|TD|BT|RL|LR|showData|horizontal))?/

/** Longer lines are read up to there; UTF-16 code units. */
const MAX_LINE_LENGTH = 2000

/** Relations of entities first: they end in bars and braces, which elsewhere hold labels. */
const CARDINALITY = /[|}][o|]?(?:--|\.\.)[o|]?[|{]+/g
const ARROW =
  /(?:[<}*]|<\||(?<=\s)[ox])?(?:-{2,}|={2,}|-\.+-?|\.-+|\.{2,}|~{3,})(?:\|?>+|[)*+-]|[ox](?=[\s|]))*|-(?:>{1,2}|[)x])(?=[\s+\w-])|<<?-/g

const ATTRIBUTE_LABEL = /@\{[^}]*?\blabel\s*:\s*"?([^",}]*)"?[^}]*\}/g
const QUOTED = /"([^"]*)"|`([^`]*)`/g
/** The name of a node right before its label. */
const NAME_BEFORE_SHAPE = /^([\w.-]+)(?=[[({>]+\s*[^\s\])}])/
const MARKS = /::icon\([^)]*\)|:::?[\w-]+|#quot;|[[\](){}<>|"`;]|\/(?=\])/g
/** What stands on both sides: members of a class, ends of an activation. */
const SIDES = /^[\s+\-#~*.,:]+|[\s,:]+$/g

/**
 * What a Mermaid diagram says: titles, participants, labels of nodes and edges, a line each and each
 * once. Names of nodes that have no label are their labels. Reads line by line and knows no grammar, so
 * that a diagram of a kind it does not know, or one with a mistake, still gives its words.
 */
export function diagramLabels(code: string): readonly string[] {
  const labels = new Set<string>()
  const named = new Set<string>()
  for (const line of code.split(/[\r\n]+/)) {
    for (const label of lineLabels(line.slice(0, MAX_LINE_LENGTH).trim(), named)) labels.add(label)
  }
  return [...labels].filter((label) => !named.has(label))
}

/** Adds names of nodes that have a label to `named`. */
function* lineLabels(given: string, named: Set<string>): Iterable<string> {
  const line = given.replace(HEADER, '').replace(/%%.*$/, '').trim()
  if (line === '' || SETTING.test(line)) return
  const rest = line.replace(KEYWORD, '').replace(ATTRIBUTE_LABEL, '["$1"]')
  // Quoted labels may hold anything, arrows too, so they are taken out before the rest is read.
  const quoted: string[] = []
  const bare = rest.replace(QUOTED, (_, double?: string, back?: string) => {
    quoted.push(double ?? back ?? '')
    return '"'
  })
  for (const segment of bare.replace(CARDINALITY, '\n').replace(ARROW, '\n').split('\n')) {
    for (const part of segment.split(/\s&\s|\s:|:(?=\s)|(?<=\|)/)) {
      const [, name] = NAME_BEFORE_SHAPE.exec(part.trim()) ?? []
      if (name !== undefined) named.add(name)
      const label = tidy(part.trim().replace(NAME_BEFORE_SHAPE, ''))
      if (/\p{L}/u.test(label)) yield label
    }
  }
  for (const label of quoted.map(tidy)) if (label !== '') yield label
}

function tidy(label: string): string {
  return label
    .replace(/<br\s*\/?>/gi, ' ')
    .replace(MARKS, ' ')
    .replace(/(?:^|\s)as\s+(?=\S)/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(SIDES, '')
}
