// The list of causes. CAUSE(name, when it has an effect, what it changes, description). TILED: with a tile size n.
// WHOLE: with a small integer n. FIT: with a real number n, which is fitted between two bounds, starting from a grid.
// is: the shape; s: the setting; v: the variation, r: its rules. causes.c includes this file twice.

// ---- masks
CAUSE(causal_missing, s->rules.causal, r->causal = false, "the causal mask is missing")
CAUSE(causal_added, !s->rules.causal, r->causal = true,
      "later keys are hidden (a causal mask), and --causal was not given")
CAUSE(causal_reversed, s->rules.causal, r->future = true,
      "the causal mask is the wrong way round: it hides the earlier keys")
CAUSE(inverted, hides(s), r->inverted = true, "the mask is inverted: it hides what it must show, and shows the rest")
CAUSE(top_left, is.T != is.S && has_positions(s), r->position = JUDGE_TOP_LEFT,
      "positions are aligned top-left: query i stands at i, not at i + S − T")
CAUSE(own_length, s->has_lengths &&has_positions(s), r->position = JUDGE_BY_OWN_LENGTH,
      "positions count from the sequence's own length: i + length − T")
CAUSE(diagonal_hidden, s->rules.causal, r->shift = -1,
      "off by one: the causal mask hides a query's own key (j < p, not j ≤ p)")
CAUSE(one_ahead, s->rules.causal, r->shift = 1, "off by one: the causal mask lets key p + 1 through")
CAUSE(self_hidden, !s->rules.causal && is.T <= is.S, r->self_hidden = true, "a query's own key is hidden")
TILED(causal_tiles, s->rules.causal &&n > 1 && n < is.S && !one_tile(is, (int)n), r->causal_tile = (int)n,
      "the causal mask goes by tiles of %g keys: all of a query's own tile is seen")
TILED(causal_tiles_short, s->rules.causal &&n > 1 && n < is.S, r->causal_tile = -(int)n,
      "the causal mask goes by tiles of %g keys: a tile that holds later keys is left out")
CAUSE(window_missing, s->rules.window > 0, r->window = 0, "the window is missing")
CAUSE(window_larger, s->rules.window > 0, r->window = s->rules.window + 1, "the window is one key too large")
CAUSE(window_smaller, s->rules.window > 1, r->window = s->rules.window - 1, "the window is one key too small")
CAUSE(window_behind, s->rules.window > 0 && !s->rules.causal, r->window_behind = true,
      "the window hides only what is behind a query, not what is ahead")
CAUSE(window_half, s->rules.window / 2 + 1 < s->rules.window - 1, r->window = s->rules.window / 2 + 1,
      "the window is half as large: W/2 keys on each side of a query's own")
CAUSE(window_blocks, s->rules.window > 1, r->window_blocks = true,
      "the window does not go with the query: keys are cut into blocks of W")
WHOLE(window_added, !s->rules.window && n < is.S, r->window = (int)n,
      "keys %g or more away are hidden (a window), and --window was not given")
CAUSE(sinks_missing, s->rules.sinks > 0, r->sinks = 0, "the sinks are missing")
CAUSE(sinks_more, s->rules.sinks > 0, r->sinks = s->rules.sinks + 1, "there is one sink too many")
CAUSE(sinks_fewer, s->rules.sinks > 1, r->sinks = s->rules.sinks - 1, "there is one sink too few")
CAUSE(sinks_ahead, s->rules.sinks > 0 && s->rules.causal, r->sinks_ahead = true,
      "queries that stand before the sinks see them: the causal mask must hide them")
CAUSE(sinks_in_window, s->rules.sinks > 1 && s->rules.sinks < s->rules.window,
      r->window = s->rules.window - s->rules.sinks, "the sinks are counted among the W keys of the window")
CAUSE(padding_seen, s->has_lengths, r->padding_seen = true,
      "the softmax runs over the filler keys too: the key lengths are ignored")
CAUSE(padding_in_front, s->has_lengths, r->padding_in_front = true,
      "the filler is taken to stand before the keys; it stands behind them")
CAUSE(length_longer, s->has_lengths, r->longer = 1, "every key length is one too long")
CAUSE(length_shorter, s->has_lengths, r->longer = -1, "every key length is one too short")
CAUSE(length_next, s->has_lengths &&is.B > 1, r->length_of = JUDGE_NEXT,
      "a sequence has the key length of the next one")
CAUSE(length_before, s->has_lengths &&is.B > 2, r->length_of = JUDGE_BEFORE,
      "a sequence has the key length of the one before")
CAUSE(length_first, s->has_lengths &&is.B > 1, r->length_of = JUDGE_FIRST,
      "all sequences have the key length of the first one")
CAUSE(length_in_turn, s->has_lengths &&is.B > 1 && is.H > 1, r->length_of = JUDGE_IN_TURN,
      "the key lengths are dealt out in turn: (b·H + h) % B has the length of b")
CAUSE(length_reversed, s->has_lengths &&is.B > 2, r->length_of = JUDGE_REVERSED,
      "the key lengths are in reversed order")
CAUSE(padded_zero, s->has_lengths && s->is_output, r->padded_zero = true,
      "the outputs of queries behind the key length are 0")
CAUSE(zero_score, hides(s), r->hidden = JUDGE_SCORE_SET, "hidden keys get the score 0, not −infinity")
CAUSE(zero_weight, hides(s), r->hidden = JUDGE_WEIGHT_ZERO,
      "the mask comes after the softmax: the weights left no longer sum to 1")
CAUSE(hidden_counted, hides(s), hide_by(r, JUDGE_COUNTED, 0),
      "hidden keys count below with the score 0, as keys and values of 0 would")
CAUSE(filler_zero, hides_more(s), hide_filler_by(r, JUDGE_SCORE_SET), "the filler keys get the score 0, not −infinity")
CAUSE(filler_after, hides_more(s), hide_filler_by(r, JUDGE_WEIGHT_ZERO),
      "the filler is hidden after the softmax: the weights left no longer sum to 1")
CAUSE(filler_counted, hides_more(s), hide_filler_by(r, JUDGE_COUNTED),
      "the filler counts below with the score 0, as keys and values of 0 would")
CAUSE(mask_added, hides(s), hide_by(r, JUDGE_SCORE_ADDED, -1),
      "a mask of 1 (seen) and 0 is added to the scores; 0 and −infinity must be")
CAUSE(hidden_added, hides(s), hide_by(r, JUDGE_SCORE_ADDED, 1),
      "a mask of 0 and 1 (hidden) is added to the scores; 0 and −infinity must be")
CAUSE(mask_unused, hides_twice(s), hide_by(r, JUDGE_SCORE_ADDED, 0),
      "no mask is applied at all: every query sees every key")
CAUSE(empty_nan, hides(s), r->empty = JUDGE_ROW_NAN, "a query that sees no key gives NaN; it must give 0")
CAUSE(empty_mean, hides(s), r->empty = JUDGE_ROW_MEAN,
      "a query that sees no key gives the mean of all values; it must give 0")
CAUSE(first_key, is.S > 1, r->skip_first = 1, "the first key is left out")
CAUSE(last_key, is.S > 1, r->skip_last = 1, "the last key is left out")

// ---- scores
CAUSE(scale_missing, true, r->scale = 1, "the scale is missing: q · k is used as it is")
CAUSE(scale_d, is.d > 1, r->scale = 1.0 / is.d, "the scale is 1/d (or 1/√d twice)")
CAUSE(scale_D, is.H > 1, r->scale = 1 / sqrt((double)is.H * is.d),
      "the scale is 1/√D with D = H·d, the width of all heads")
CAUSE(scale_times, is.d > 1, r->scale = sqrt(is.d), "q · k is multiplied by √d, not divided")
CAUSE(scale_dv, is.dv != is.d, r->scale = 1 / sqrt(is.dv), "the scale is 1/√dv, from the width of the values")
CAUSE(scale_default, s->has_scale, r->scale = 1 / sqrt(is.d), "the scale is 1/√d, not that of --scale")
CAUSE(scale_half, is.d > 1, r->scale = pow(is.d, -0.25),
      "the scale is d^(−1/4): q or k alone is scaled, or √ is taken twice")
CAUSE(scale_keys, is.S != is.d, r->scale = 1 / sqrt(is.S), "the scale is 1/√S, from the number of keys")
CAUSE(scale_negative, true, r->scale = -r->scale, "the scale has the wrong sign: keys that match least weigh most")
CAUSE(scale_zero, true, r->scale = 0, "q · k has no part in the weights (a scale of 0)")
CAUSE(q_reshaped, is.d > 1 && is.T > 1, v->q_as = "htd>hdt", "q's memory is taken to have the order (d, T)")
CAUSE(k_reshaped, is.d > 1 && is.S > 1, v->k_as = "htd>hdt", "k was reshaped to (d, S); it must be transposed")
CAUSE(d_last, is.d > 1, r->d_skip_last = 1, "q · k leaves out the last of the d columns")
CAUSE(d_first, is.d > 1, r->d_skip_first = 1, "q · k leaves out the first of the d columns")
TILED(d_tail, n<is.d && is.d % (int)n> 1, r->d_skip_last = is.d % (int)n,
      "q · k goes over whole groups of %g columns: those behind the last are left out")
CAUSE(base2, true, r->base2 = true, "2^s is taken, not e^s (the scores lack a factor log2 e)")
CAUSE(normed, is.d > 1, v->q_as = v->k_as = "normed", "q and k are divided by their lengths first (a cosine)")
CAUSE(rms_normed, is.d > 1, v->q_as = v->k_as = "rms-normed",
      "q and k are divided by the root of their mean squares first (an RMS norm)")
CAUSE(q_normed, is.d > 1, v->q_as = "normed", "q is divided by its length first")
CAUSE(k_normed, is.d > 1, v->k_as = "normed", "k is divided by its length first")
CAUSE(rope_halves, is.d % 2 == 0, v->q_as = v->k_as = "rope-halves",
      "q and k are rotated (RoPE, column c with c + d/2), which was not asked for")
CAUSE(rope_pairs, is.d % 2 == 0, v->q_as = v->k_as = "rope-pairs",
      "q and k are rotated (RoPE, columns 2c and 2c + 1), which was not asked for")
CAUSE(alibi_missing, s->rules.alibi, r->alibi = false, "ALiBi is missing")
CAUSE(alibi_added, !s->rules.alibi, r->alibi = true, "ALiBi is added, and --alibi was not given")
CAUSE(alibi_from_one, s->rules.alibi, r->slopes = JUDGE_SLOPES_FROM_ONE,
      "ALiBi slopes are off by one head: 2^(−8 h / H), the first is 1")
CAUSE(alibi_sign, s->rules.alibi, r->slope_times = -1, "ALiBi has the wrong sign: far keys are favoured")
CAUSE(alibi_signed, s->rules.alibi && !s->rules.causal, r->alibi_signed = true,
      "ALiBi uses p − j without |…|: later keys are favoured")
CAUSE(alibi_powers, s->rules.alibi && (is.H & (is.H - 1)), r->slopes = JUDGE_SLOPES_OF_POWERS,
      "ALiBi slopes as in its authors' code, which differ as H is no power of 2")
CAUSE(alibi_scaled, s->rules.alibi, r->alibi_scaled = true, "ALiBi is added before the scale, and multiplied by it")
CAUSE(alibi_reversed, s->rules.alibi &&is.H > 1, r->slopes = JUDGE_SLOPES_REVERSED,
      "ALiBi slopes are in reversed order: the last head has the first's")
CAUSE(alibi_key_heads, s->rules.alibi &&is.G < is.H, r->slopes = JUDGE_SLOPES_OF_KEY_HEADS,
      "ALiBi has a slope for each of the G key heads; it must for each of H")
CAUSE(alibi_one, s->rules.alibi &&is.H > 1, r->slopes = JUDGE_SLOPES_ONE,
      "ALiBi has the first head's slope in all heads")
CAUSE(alibi_halves, s->rules.alibi &&is.H != 8, r->slopes = JUDGE_SLOPES_HALVES,
      "ALiBi slopes are 1/2, 1/4, 1/8, …; with H heads they go by 2^(−8/H)")

// ---- softmax
CAUSE(over_queries, is.T > 1 || is.S > 1, r->softmax = JUDGE_OVER_QUERIES,
      "the softmax runs over the wrong axis: the queries")
CAUSE(over_heads, is.H > 1, r->softmax = JUDGE_OVER_HEADS, "the softmax runs over the wrong axis: the heads")
CAUSE(over_batch, true, r->softmax = JUDGE_OVER_BATCH, "the softmax runs over the wrong axis: the sequences")
CAUSE(over_all, is.T > 1, r->softmax = JUDGE_OVER_ALL, "the softmax runs over queries and keys together")
CAUSE(undivided, is.S > 1, r->softmax = JUDGE_UNDIVIDED, "exp(s − max) is not divided by its sum")
CAUSE(undivided_plain, true, r->softmax = JUDGE_UNDIVIDED_PLAIN, "exp(s) is not divided by its sum")
CAUSE(softmax_twice, is.S > 1, r->softmax = JUDGE_TWICE, "the softmax is taken twice")
CAUSE(no_softmax, true, r->softmax = JUDGE_NO_SOFTMAX, "there is no softmax: the scores are the weights")
CAUSE(sigmoid, true, r->softmax = JUDGE_SIGMOID, "the weights are sigmoids of the scores, not their softmax")
CAUSE(hard_max, is.S > 1, r->softmax = JUDGE_HARD_MAX, "all weight goes to the key with the largest score")
CAUSE(shares, is.S > 1, r->softmax = JUDGE_SHARES, "scores are divided by their sum, without exp")
CAUSE(relu, true, r->softmax = JUDGE_RELU, "the weights are max(s, 0), not the softmax")
CAUSE(relu_shares, is.S > 1, r->softmax = JUDGE_RELU_SHARES, "the weights are shares of max(s, 0), not of exp s")
CAUSE(sigmoid_shares, is.S > 1, r->softmax = JUDGE_SIGMOID_SHARES, "the weights are shares of sigmoids, not of exp s")
CAUSE(log_softmax, !hides(s), r->softmax = JUDGE_LOG_SOFTMAX, "the logarithm of the softmax is taken for the weights")
CAUSE(own_key, is.T <= is.S, r->softmax = JUDGE_OWN_KEY,
      "every query takes the value at its own position, whatever the scores")
CAUSE(plus_one, true, r->below_plain = 1, "1 is added below: exp s / (1 + Σ exp s)")
CAUSE(plus_one_max, true, r->below = 1, "1 is added below: exp(s − max) / (1 + Σ exp(s − max))")
CAUSE(sum_short, is.S > 1, r->sum_skip_last = 1, "the sum below leaves out the last key")
CAUSE(mix_short, is.S > 1, r->mix_skip_last = 1, "the last key has its weight, but its value is left out")
CAUSE(scale_after, true, scale_after(r), "the scale comes after the softmax: it multiplies the weights")
CAUSE(scale_again, true, r->times = r->scale, "the weights are multiplied by the scale once more")
CAUSE(weights_transposed, square(s) && !s->rules.sinks && !s->has_lengths, transpose_weights(v),
      "the weights are transposed: query i gives key j what j should give i")
TILED(out_unscaled, n < is.S, tile_by(r, s, JUDGE_OUT_UNSCALED, (int)n),
      "online softmax, tiles of %g keys: a new maximum does not rescale the output")
TILED(sum_unscaled, n < is.S, tile_by(r, s, JUDGE_SUM_UNSCALED, (int)n),
      "online softmax, tiles of %g keys: a new maximum does not rescale the sum")
TILED(both_unscaled, n < is.S, tile_by(r, s, JUDGE_BOTH_UNSCALED, (int)n),
      "online softmax, tiles of %g keys: a new maximum rescales nothing")
TILED(corrected_up, n < is.S, tile_by(r, s, JUDGE_CORRECTED_UP, (int)n),
      "online softmax, tiles of %g: rescaled by exp(new − old), not exp(old − new)")
TILED(tiles_alone, n < is.S, tile_by(r, s, JUDGE_TILES_ALONE, (int)n),
      "every tile of %g keys has its own softmax, and the mean is taken")
TILED(tile_left_out, n < is.S, tile_by(r, s, JUDGE_TILES_RIGHT, (int)n),
      "the last tile is left out where it has fewer than %g keys")

// ---- the logsumexp alone
CAUSE(lse_base_2, s->is_lse, r->lse = JUDGE_LSE_BASE_2, "it is log2 Σ exp s; it must be the natural logarithm")
CAUSE(lse_base_10, s->is_lse, r->lse = JUDGE_LSE_BASE_10, "it is log10 Σ exp s; it must be the natural logarithm")
CAUSE(lse_without_max, s->is_lse, r->lse = JUDGE_LSE_WITHOUT_MAX, "it is log Σ exp(s − max): max must be added again")
CAUSE(lse_less_max, s->is_lse, r->lse = JUDGE_LSE_LESS_MAX, "it is log Σ exp(s − max) − max: max must be added")
CAUSE(lse_max, s->is_lse, r->lse = JUDGE_LSE_MAX, "it is the largest score, without log Σ exp(s − max)")
CAUSE(lse_sum, s->is_lse, r->lse = JUDGE_LSE_SUM, "it is Σ exp s, without the logarithm")
CAUSE(lse_sum_without_max, s->is_lse, r->lse = JUDGE_LSE_SUM_WITHOUT_MAX, "it is Σ exp(s − max), without the logarithm")
CAUSE(lse_negative, s->is_lse, r->lse = JUDGE_LSE_NEGATIVE, "it has the wrong sign: −log Σ exp s")

// ---- heads and sequences
CAUSE(kv_mod, mixed(is), r->k_head = r->v_head = JUDGE_IN_TURN,
      "head h reads key and value head h % G; it must be h / (H / G)")
CAUSE(kv_by_groups, mixed(is) && is.H != is.G * is.G, r->k_head = r->v_head = JUDGE_BY_GROUPS,
      "head h reads key and value head h / G; it must be h / (H / G)")
CAUSE(q_first, is.H > 1, r->q_head = JUDGE_FIRST, "all heads have the queries of head 0")
CAUSE(q_next, is.H > 1, r->q_head = JUDGE_NEXT, "every head has the next one's queries")
CAUSE(q_of_first, is.B > 1, r->q_sequence = JUDGE_FIRST, "all sequences have the first one's queries")
CAUSE(q_of_next, is.B > 1, r->q_sequence = JUDGE_NEXT, "every sequence has the next one's queries")
CAUSE(q_ahead, is.T > 1 && has_positions(s), r->q_ahead = 1,
      "the queries are shifted: row i has query i + 1, the last one the first")
CAUSE(q_behind, is.T > 1 && has_positions(s), r->q_ahead = -1,
      "the queries are shifted: row i has query i − 1, the first one the last")
CAUSE(k_mod, mixed(is), r->k_head = JUDGE_IN_TURN, "head h reads key head h % G; it must be h / (H / G)")
CAUSE(v_mod, mixed(is), r->v_head = JUDGE_IN_TURN, "head h reads value head h % G; it must be h / (H / G)")
CAUSE(kv_first, is.G > 1, r->k_head = r->v_head = JUDGE_FIRST, "all heads read key and value head 0")
CAUSE(k_first, is.G > 1, r->k_head = JUDGE_FIRST, "all heads read key head 0")
CAUSE(v_first, is.G > 1, r->v_head = JUDGE_FIRST, "all heads read value head 0")
CAUSE(kv_next, is.G > 1, r->k_head = r->v_head = JUDGE_NEXT, "every head reads the next key and value head")
CAUSE(k_next, is.G > 1, r->k_head = JUDGE_NEXT, "every head reads the next key head")
CAUSE(v_next, is.G > 1, r->v_head = JUDGE_NEXT, "every head reads the next value head")
CAUSE(kv_before, is.G > 2, r->k_head = r->v_head = JUDGE_BEFORE,
      "every head reads the key and value head before its own")
CAUSE(k_before, is.G > 2, r->k_head = JUDGE_BEFORE, "every head reads the key head before its own")
CAUSE(v_before, is.G > 2, r->v_head = JUDGE_BEFORE, "every head reads the value head before its own")
CAUSE(kv_reversed, is.G > 2, r->k_head = r->v_head = JUDGE_REVERSED, "key and value heads are read in reversed order")
CAUSE(k_reversed, is.G > 2, r->k_head = JUDGE_REVERSED, "key heads are read in reversed order")
CAUSE(v_reversed, is.G > 2, r->v_head = JUDGE_REVERSED, "value heads are read in reversed order")
CAUSE(kv_of_first, is.B > 1, r->k_sequence = r->v_sequence = JUDGE_FIRST,
      "all sequences look at the first one's keys and values")
CAUSE(k_of_first, is.B > 1, r->k_sequence = JUDGE_FIRST, "all sequences look at the first one's keys")
CAUSE(v_of_first, is.B > 1, r->v_sequence = JUDGE_FIRST, "all sequences take the first one's values")
CAUSE(kv_of_next, is.B > 1, r->k_sequence = r->v_sequence = JUDGE_NEXT,
      "every sequence looks at the next one's keys and values")
CAUSE(k_of_next, is.B > 1, r->k_sequence = JUDGE_NEXT, "every sequence looks at the next one's keys")
CAUSE(v_of_next, is.B > 1, r->v_sequence = JUDGE_NEXT, "every sequence takes the next one's values")
CAUSE(kv_of_reversed, is.B > 2, r->k_sequence = r->v_sequence = JUDGE_REVERSED,
      "keys and values belong to the sequences in reversed order")
CAUSE(kv_ahead, is.S > 1 && hides(s), r->k_ahead = r->v_ahead = 1, "keys and values are shifted: j reads j + 1")
CAUSE(k_ahead, is.S > 1, r->k_ahead = 1, "the keys are shifted: j reads key j + 1, the last one the first")
CAUSE(v_ahead, is.S > 1, r->v_ahead = 1, "the values are shifted: j reads value j + 1, the last one the first")
CAUSE(kv_behind, is.S > 2 && hides(s), r->k_ahead = r->v_ahead = -1, "keys and values are shifted: j reads j − 1")
CAUSE(k_behind, is.S > 2, r->k_ahead = -1, "the keys are shifted: j reads key j − 1, the first one the last")
CAUSE(v_behind, is.S > 2, r->v_ahead = -1, "the values are shifted: j reads value j − 1, the first one the last")
CAUSE(k_for_v, is.d == is.dv, r->k_for_v = true, "the weights mix the keys; they must mix the values")
CAUSE(v_for_k, is.d == is.dv, r->v_for_k = true, "the scores are q · v; they must be q · k")
CAUSE(k_v_swapped, is.d == is.dv, v->k_v_swapped = true, "k and v are swapped")
CAUSE(q_k_swapped, square(s), v->q_k_swapped = true, "q and k are swapped: the scores are transposed before the mask")
CAUSE(q_v_swapped, square(s) && is.d == is.dv, v->order = "vkq", "q and v are swapped")
CAUSE(qkv_turned, square(s) && is.d == is.dv, v->order = "kvq", "k is taken for q, v for k, and q for v")
CAUSE(qkv_turned_back, square(s) && is.d == is.dv, v->order = "vqk", "v is taken for q, q for k, and k for v")
CAUSE(out_kept, is.T > 1 && s->is_output, v->out_back = "steps",
      "the output is not set to 0 between queries: each row is added to the one before")
CAUSE(plus_q, is.d == is.dv && s->is_output, r->residual = JUDGE_PLUS_Q, "q is added to the output (a residual)")
CAUSE(plus_v, is.T <= is.S && s->is_output, r->residual = JUDGE_PLUS_V,
      "the value at the query's own position is added to the output (a residual)")
CAUSE(heads_one, other_heads(s, 1, is.H), split_among(v, s, 1),
      "the heads are not split: one head as wide as all of them")
CAUSE(heads_half, is.H > 2 && other_heads(s, 1, 2), split_among(v, s, is.H / 2),
      "the columns are split among half as many heads")
CAUSE(heads_quarter, is.H > 4 && other_heads(s, 1, 4), split_among(v, s, is.H / 4),
      "the columns are split among a quarter of the heads")
CAUSE(heads_twice, other_heads(s, 2, 1), split_among(v, s, 2 * is.H), "the columns are split among twice as many heads")
CAUSE(heads_fourfold, other_heads(s, 4, 1), split_among(v, s, 4 * is.H),
      "the columns are split among four times as many heads")

// ---- axes
CAUSE(split, is.H > 1, read_all(v, "thd>htd"), "heads split by a wrong reshape: (T, H·d) read as (H, T, d)")
CAUSE(split_q, is.H > 1, v->q_as = "thd>htd", "q's heads split by a wrong reshape: (T, H·d) read as (H, T, d)")
CAUSE(split_k, is.G > 1, v->k_as = "thd>htd", "k's heads split by a wrong reshape: (S, G·d) read as (G, S, d)")
CAUSE(split_v, is.G > 1, v->v_as = "thd>htd", "v's heads split by a wrong reshape: (S, G·d) read as (G, S, d)")
CAUSE(split_kv, is.G > 1, v->k_as = v->v_as = "thd>htd",
      "k's and v's heads split by a wrong reshape: (S, G·d) read as (G, S, d)")
CAUSE(split_back, is.H > 1, read_all(v, "htd>thd"), "heads split by a wrong reshape: (H, T, d) read as (T, H, d)")
CAUSE(split_back_q, is.H > 1, v->q_as = "htd>thd", "q's heads split by a wrong reshape: (H, T, d) read as (T, H, d)")
CAUSE(split_back_k, is.G > 1, v->k_as = "htd>thd", "k's heads split by a wrong reshape: (G, S, d) read as (S, G, d)")
CAUSE(split_back_v, is.G > 1, v->v_as = "htd>thd", "v's heads split by a wrong reshape: (G, S, d) read as (S, G, d)")
CAUSE(interleaved, is.H > 1, read_all(v, "thd>tdh"), "heads take every H-th column, c·H + h; they must take h·d + c")
CAUSE(interleaved_q, is.H > 1, v->q_as = "thd>tdh", "q's heads take every H-th column, c·H + h; they must take h·d + c")
CAUSE(interleaved_k, is.G > 1, v->k_as = "thd>tdh", "k's heads take every G-th column, c·G + g; they must take g·d + c")
CAUSE(interleaved_v, is.G > 1, v->v_as = "thd>tdh", "v's heads take every G-th column, c·G + g; they must take g·d + c")
CAUSE(split_and_back, is.H > 1 && s->is_output, read_and_write(v, "thd>htd", "thd>htd"),
      "heads split by a wrong reshape, (T, H·d) read as (H, T, d), and back")
CAUSE(split_back_and_forth, is.H > 1 && s->is_output, read_and_write(v, "htd>thd", "htd>thd"),
      "heads split by a wrong reshape, (H, T, d) read as (T, H, d), and back")
CAUSE(interleaved_both, is.H > 1 && s->is_output, read_and_write(v, "thd>tdh", "thd>tdh"),
      "heads take and give every H-th column, c·H + h, not h·d + c")
CAUSE(merged, is.H > 1 && is.T > 1 && s->is_output, v->out_back = "thd>htd",
      "heads put together by a wrong reshape: (H, T, d) read as (T, H·d)")
CAUSE(unmerged, is.H > 1 && is.T > 1 && s->is_output, v->out_back = "htd>thd",
      "the output's heads by a wrong reshape: (T, H·d) read as (H, T, d)")
CAUSE(out_interleaved, is.H > 1 && s->is_output, v->out_back = written(s, "htd>tdh", "thd>tdh"),
      "the output's heads stand in every H-th column, c·H + h, not h·d + c")
CAUSE(transposed, is.T > 1 && is.dv > 1 && s->is_output, v->out_back = written(s, "htd>hdt", "thd>hdt"),
      "the output is transposed: its memory has the order (H, d, T)")
CAUSE(all_reversed, is.H > 1 && s->is_output, v->out_back = written(s, "htd>dth", "thd>dth"),
      "the output is transposed: its memory has the order (d, T, H)")
CAUSE(other_order, is.H > 1 && s->is_output, v->out_back = written(s, "htd>dht", "thd>dht"),
      "the output is transposed: its memory has the order (d, H, T)")

// ---- numbers that are fitted
FIT(multiplied, s->is_output, r->times = n, 0.5, 0.5, 1, false, "every number is %.6g times ours")
FIT(added, s->is_output, r->plus = n, 0, 0, 1, false, "%.6g is added to every number")
FIT(scale, true, r->scale = n * s->rules.scale, -8, 8, 64, false, "the scale is %.6g times what it must be")
FIT(soft_cap, true, r->cap = n, 0.2, 2000, 24, true, "the scores are capped: c · tanh(s / c) with c = %.6g")
FIT(epsilon, true, r->below = n, 1e-9, 10, 24, true, "%.6g is added below: exp(s − max) / (it + Σ exp(s − max))")
FIT(epsilon_plain, true, r->below_plain = n, 1e-9, 10, 24, true,
    "%.6g is added below: exp s / (it + Σ exp s), as so many keys and values of 0 would")
FIT(hidden_low, hides(s), hide_by(r, JUDGE_SCORE_ADDED, n), -40, 8, 25, false,
    "hidden keys are not hidden: %.6g is added to their scores, not −infinity")
FIT(hidden_at, hides(s), hide_by(r, JUDGE_SCORE_SET, n), -40, 8, 25, false,
    "hidden keys are not hidden: they get the score %.6g, not −infinity")
FIT(alibi_times, s->rules.alibi, r->slope_times = n, -4, 4, 34, false,
    "the ALiBi slopes are %.6g times what they must be")
