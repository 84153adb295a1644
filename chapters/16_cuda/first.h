// Chapter 16. The first kernel, as plain as can be: float32, one head, no mask. nvcc compiles it in first.cu; the
// program runs the same lines on the CPU, block by block and thread by thread (steps_1_launch.c).

// One score a thread: scores (T, S) = q kᵀ / √d with q (T, d) and k (S, d).
__global__ void first_scores(float *scores, const float *q, const float *k, int T, int S, int d)
{
    int n = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (n >= T * S) return;
    int i = n / S, j = n % S;
    float sum = 0.0f;
    for (int c = 0; c < d; c++) sum += q[i * d + c] * k[j * d + c];
    scores[n] = sum / sqrtf((float)d);
}
