const ENGLISH = `
  a about after again all also am an and any are as at be because been before being but by can could did do
  does doing done dont during each else few for from further get got had has have having he her here hers
  him his how i if in into is it its itself just let me more most much my myself no nor not now of off on
  once one only or other our ours out over own please same say shall she should so some such tell than that
  the their theirs them then there these they this those through to too under until up upon us very was we
  were what when where which while who whom whose why will with would you your yours`

/** English words, folded but not stemmed, that say nothing about what is asked for. */
export const STOP_WORDS: ReadonlySet<string> = new Set(ENGLISH.trim().split(/\s+/))
